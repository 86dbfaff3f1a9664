-- Searches of the log that were made again with other settings: the newest few runs of each store.
CREATE TABLE search_replays (
  job_id       TEXT    PRIMARY KEY, -- UUIDv7
  store_id     TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  settings     TEXT    NOT NULL CHECK (json_valid(settings)),
  total        INTEGER NOT NULL, -- searches when it began
  result       TEXT    NOT NULL CHECK (json_valid(result)), -- of the searches that were made so far
  created_at   INTEGER NOT NULL, -- Unix ms, like the next one
  finished_at  INTEGER,          -- null while it runs
  is_cancelled INTEGER NOT NULL DEFAULT 0 CHECK (is_cancelled IN (0, 1))
) STRICT;
CREATE INDEX search_replays_of_store ON search_replays (store_id, job_id);
CREATE INDEX search_replays_running ON search_replays (store_id) WHERE finished_at IS NULL;

-- The searches that a run has yet to make again.
CREATE TABLE replayed_searches (
  job_id    TEXT    NOT NULL REFERENCES search_replays (job_id) ON DELETE CASCADE,
  place     INTEGER NOT NULL,
  search_id TEXT    NOT NULL,
  PRIMARY KEY (job_id, place)
) STRICT, WITHOUT ROWID;
