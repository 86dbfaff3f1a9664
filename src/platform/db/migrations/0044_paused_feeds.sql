-- Feeds that somebody has stopped. The service looks only at those that may run.
ALTER TABLE feeds ADD COLUMN is_paused INTEGER NOT NULL DEFAULT 0 CHECK (is_paused IN (0, 1));

DROP INDEX feeds_due;
CREATE INDEX feeds_due ON feeds (next_run_at)
  WHERE is_running = 0 AND deleted_at IS NULL AND (is_paused = 0 OR asked IS NOT NULL);
