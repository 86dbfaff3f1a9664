-- What a feed did lately, and which file it could not read to its end.

-- The file that is being read, or was when the program ended, by its SHA-256; and how often reading it has begun without an end.
ALTER TABLE feeds ADD COLUMN reading_hash BLOB;
ALTER TABLE feeds ADD COLUMN readings INTEGER NOT NULL DEFAULT 0;

-- The last runs of each feed that are over.
CREATE TABLE feed_runs (
  feed_id    TEXT    NOT NULL REFERENCES feeds (id) ON DELETE CASCADE,
  run_number INTEGER NOT NULL,
  store_id   TEXT    NOT NULL,
  status     TEXT    NOT NULL,
  job_id     TEXT,
  deleted    INTEGER NOT NULL, -- products that the run deleted
  run        TEXT    NOT NULL CHECK (json_valid(run)),
  PRIMARY KEY (feed_id, run_number)
) STRICT, WITHOUT ROWID;

CREATE INDEX feed_runs_store ON feed_runs (store_id);

INSERT INTO feed_runs (feed_id, run_number, store_id, status, job_id, deleted, run)
SELECT id, run_number, store_id, run_status, run_job_id, run_deleted, run FROM feeds
WHERE is_running = 0 AND run IS NOT NULL AND run_status IS NOT NULL AND deleted_at IS NULL;
