-- Stores that are being brought in from a file. Until one is whole it is hidden like a store that is being deleted, and one
-- whose import has died is deleted.
CREATE TABLE store_arrivals (
  store_id     TEXT PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
  slug         TEXT    NOT NULL, -- that it asks for
  leased_until INTEGER NOT NULL, -- Unix ms; the import moves it on as long as it lives
  is_whole     INTEGER NOT NULL DEFAULT 0 CHECK (is_whole IN (0, 1)) -- 1: it only has to be opened
) STRICT, WITHOUT ROWID;

-- What people of another install get here once they join the store: a group of it, or the key that they made.
CREATE TABLE awaited_people (
  store_id TEXT NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  email    TEXT NOT NULL, -- normalised
  kind     TEXT NOT NULL CHECK (kind IN ('group', 'api_key')),
  of_id    TEXT NOT NULL,
  PRIMARY KEY (store_id, email, kind, of_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER memberships_awaited AFTER INSERT ON memberships
WHEN EXISTS (SELECT 1 FROM awaited_people WHERE store_id = NEW.store_id)
BEGIN
  INSERT OR IGNORE INTO user_group_members (group_id, user_id)
  SELECT user_groups.id, NEW.user_id FROM awaited_people JOIN user_groups ON user_groups.id = of_id
  WHERE awaited_people.store_id = NEW.store_id AND user_groups.store_id = NEW.store_id AND kind = 'group'
    AND email = (SELECT email FROM users WHERE id = NEW.user_id);
  UPDATE api_keys SET created_by = NEW.user_id
  WHERE store_id = NEW.store_id AND created_by IS NULL AND made_by_machine = 0 AND id IN (
    SELECT of_id FROM awaited_people WHERE store_id = NEW.store_id AND kind = 'api_key'
      AND email = (SELECT email FROM users WHERE id = NEW.user_id));
  DELETE FROM awaited_people
  WHERE store_id = NEW.store_id AND email = (SELECT email FROM users WHERE id = NEW.user_id);
END;
