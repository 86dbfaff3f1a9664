-- What a store has set, as JSON; absent keys have their defaults.
CREATE TABLE store_settings (
  store_id   TEXT PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
  settings   TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
