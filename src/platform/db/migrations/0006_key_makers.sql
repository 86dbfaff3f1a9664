-- A key may do no more than its maker may now. created_by is also null when that person was deleted.
ALTER TABLE api_keys ADD COLUMN made_by_machine INTEGER NOT NULL DEFAULT 0 CHECK (made_by_machine IN (0, 1));

-- Nobody could be deleted before.
UPDATE api_keys SET made_by_machine = 1 WHERE created_by IS NULL;
