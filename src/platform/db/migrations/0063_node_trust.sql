-- Codes that other nodes may show, once each.
CREATE TABLE node_invites (
  code_hash  BLOB    PRIMARY KEY, -- SHA-256
  purpose    TEXT    NOT NULL CHECK (purpose IN ('move', 'standby')),
  expires_at INTEGER NOT NULL,    -- Unix ms
  used_at    INTEGER,
  used_for   TEXT                 -- the store that came with it
) STRICT, WITHOUT ROWID;

-- Stores that another node sends, or has sent. A row outlives its store: the source may ask late who serves it.
CREATE TABLE arriving_moves (
  id         TEXT    PRIMARY KEY,
  store_id   TEXT    NOT NULL,
  token_hash BLOB    NOT NULL, -- SHA-256
  slug       TEXT    NOT NULL,
  from_url   TEXT,
  state      TEXT    NOT NULL CHECK (state IN ('arriving', 'open', 'abandoned')),
  reembeds   INTEGER NOT NULL,
  last_batch INTEGER NOT NULL DEFAULT 0,
  pictures   INTEGER NOT NULL DEFAULT 0,
  begun_at   INTEGER NOT NULL, -- Unix ms
  called_at  INTEGER NOT NULL, -- when the source last asked for something
  ended_at   INTEGER,
  is_cleared INTEGER NOT NULL DEFAULT 0 -- whether nothing is left of one that was abandoned
) STRICT, WITHOUT ROWID;
CREATE INDEX arriving_moves_store ON arriving_moves (store_id);
