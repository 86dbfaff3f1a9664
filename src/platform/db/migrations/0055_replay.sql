-- Searches of the log that were made again with other settings: the newest few runs of each store.
CREATE TABLE search_replays (
  job_id       TEXT    PRIMARY KEY, -- UUIDv7
  store_id     TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  settings     TEXT    NOT NULL CHECK (json_valid(settings)),
  total        INTEGER NOT NULL, -- searches when it began
  oldest_at    INTEGER,          -- when the oldest of them was made; null without any
  result       TEXT    NOT NULL CHECK (json_valid(result)), -- of the searches that were made so far
  created_at   INTEGER NOT NULL, -- Unix ms, like the other times
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

-- What a store that learns from clicks has learned in its last night.
CREATE TABLE learned_clicks (
  store_id TEXT    PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
  priors   TEXT    NOT NULL CHECK (json_valid(priors)), -- what products gain, by product id; at most 5,000
  made_at  INTEGER NOT NULL                             -- Unix ms
) STRICT, WITHOUT ROWID;

-- Searches that a job makes are no products that it indexes.
DROP TRIGGER jobs_counted;
CREATE TRIGGER jobs_counted AFTER UPDATE OF arrival ON jobs
WHEN OLD.arrival IS NULL AND NEW.arrival IS NOT NULL AND NEW.type NOT IN ('search_checks', 'search_replay')
BEGIN
  INSERT INTO usage_months (store_id, month, bulk_items)
  VALUES (NEW.store_id, strftime('%Y-%m', NEW.created_at / 1000, 'unixepoch'), NEW.total)
  ON CONFLICT (store_id, month) DO UPDATE SET bulk_items = bulk_items + excluded.bulk_items;
END;
