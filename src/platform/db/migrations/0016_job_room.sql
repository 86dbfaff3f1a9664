-- What is left of jobs that are over: their numbers and the items that failed. An item that came to anything else is deleted.
DELETE FROM job_items WHERE state IN ('done', 'cancelled');
ALTER TABLE job_items DROP COLUMN effect;

ALTER TABLE jobs ADD COLUMN kept_bytes INTEGER; -- of its failed items, once it is over; null: not measured yet
ALTER TABLE jobs ADD COLUMN errors_dropped INTEGER NOT NULL DEFAULT 0; -- failed items that are no longer kept

CREATE INDEX jobs_over ON jobs (store_id, finished_at, id, kept_bytes) WHERE finished_at IS NOT NULL;
CREATE INDEX jobs_unmeasured ON jobs (store_id) WHERE finished_at IS NOT NULL AND kept_bytes IS NULL;
