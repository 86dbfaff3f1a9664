CREATE TABLE searches (
  id           TEXT PRIMARY KEY, -- UUIDv7, the search_id
  store_id     TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  type         TEXT    NOT NULL, -- text, url, upload, …
  query        TEXT,             -- the words, when there were any
  parameters   TEXT    NOT NULL CHECK (json_valid(parameters)),
  results      TEXT    NOT NULL CHECK (json_valid(results)), -- product ids, best first
  top_score    REAL,
  duration_ms  REAL    NOT NULL,
  is_tracked   INTEGER NOT NULL CHECK (is_tracked IN (0, 1)), -- 0: left out of analytics
  created_at   INTEGER NOT NULL  -- Unix ms
) STRICT;

CREATE INDEX searches_time ON searches (store_id, created_at);
