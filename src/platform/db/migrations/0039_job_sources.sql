-- Where the items of a job came from, and who started it; null for jobs of the service itself and of earlier versions.

ALTER TABLE jobs ADD COLUMN source TEXT CHECK (json_valid(source));
ALTER TABLE jobs ADD COLUMN author_kind TEXT CHECK (author_kind IN ('person', 'key', 'machine', 'operator'));
ALTER TABLE jobs ADD COLUMN author_user TEXT REFERENCES users (id) ON DELETE SET NULL; -- of a person
ALTER TABLE jobs ADD COLUMN author_key TEXT;                                           -- of an API key

CREATE INDEX jobs_author ON jobs (author_user) WHERE author_user IS NOT NULL;

-- Failures whose product was not written since, for the list of a store.
CREATE INDEX job_items_open_failures ON job_items (store_id, product_id, id)
WHERE state = 'failed' AND is_overtaken = 0 AND product_id IS NOT NULL;

-- Products that a run of a feed made; null for runs of earlier versions.
ALTER TABLE feeds ADD COLUMN run_added INTEGER;
ALTER TABLE feed_runs ADD COLUMN added INTEGER;
