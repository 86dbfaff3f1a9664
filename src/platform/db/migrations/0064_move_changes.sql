-- What changes in a store while it moves to another node. Triggers write it that exist for the time of the move alone.
CREATE TABLE move_changes (
  store_id   TEXT    NOT NULL,
  table_name TEXT    NOT NULL,
  row_key    TEXT    NOT NULL, -- JSON array: the columns that name the row in its store
  seq        INTEGER NOT NULL, -- grows with each change
  PRIMARY KEY (store_id, table_name, row_key)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX move_changes_seq ON move_changes (seq);

-- Accounts that a store has brought along which is still arriving here: until it opens they follow those that they come from.
CREATE TABLE move_people (
  store_id TEXT NOT NULL,
  user_id  TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (store_id, user_id)
) STRICT, WITHOUT ROWID;
