-- A store may move to another node and leave its row here, which says where it is.
ALTER TABLE stores ADD COLUMN move_state TEXT CHECK (move_state IN ('moving', 'paused', 'switching', 'moved'));
ALTER TABLE stores ADD COLUMN moved_to TEXT;       -- base address of the node that has it
ALTER TABLE stores ADD COLUMN moved_at INTEGER;    -- Unix ms, like the next one
ALTER TABLE stores ADD COLUMN emptied_at INTEGER;  -- when its other rows were erased here; null: they are still here

CREATE INDEX stores_moving ON stores (move_state) WHERE move_state IS NOT NULL;

-- What names a store that is elsewhere: hashes of its keys, and its people. Its id and slug stand in its own row.
CREATE TABLE moved_names (
  kind TEXT NOT NULL CHECK (kind IN ('api_key', 'widget_key', 'member')),
  name ANY NOT NULL,    -- the hash of the key, or the id of the person
  store_id TEXT NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  role TEXT,            -- of a member
  PRIMARY KEY (kind, name, store_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX moved_names_store ON moved_names (store_id);

CREATE TRIGGER moved_names_of_people AFTER DELETE ON users
BEGIN
  DELETE FROM moved_names WHERE kind = 'member' AND name = OLD.id;
END;
