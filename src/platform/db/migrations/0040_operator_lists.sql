-- Lists over all stores go by these, so that a page costs the same however many stores there are.
CREATE INDEX checkouts_waiting ON checkouts (id) WHERE status = 'open' AND provider = 'manual';
CREATE INDEX invoices_by_status ON invoices (status, id);
CREATE INDEX jobs_of_all ON jobs (status, job_id);

-- Deliveries that have arrived, nearly all of them, take no room here.
CREATE INDEX deliveries_unsettled ON deliveries (state) WHERE state <> 'delivered';

-- A search whose right hits the people of a store know, to be asked again after each change.
CREATE TABLE search_checks (
  id          TEXT    PRIMARY KEY, -- UUIDv7
  store_id    TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  name        TEXT    NOT NULL,
  query       TEXT,                -- words, or a picture
  expected    TEXT    NOT NULL CHECK (json_valid(expected)), -- product ids
  within      INTEGER NOT NULL,    -- the last place at which they pass
  created_at  INTEGER NOT NULL,    -- Unix ms, like last_run_at
  waiting_for TEXT,                -- id of the job that has yet to run it
  last_job    TEXT,
  last_run_at INTEGER,
  last_result TEXT    CHECK (json_valid(last_result)),
  picture     BLOB,                -- as it was uploaded; the last column, so that lists do not read it
  CHECK ((query IS NULL) <> (picture IS NULL))
) STRICT;

CREATE INDEX search_checks_of_store ON search_checks (store_id, id);
CREATE INDEX search_checks_waiting ON search_checks (store_id, id) WHERE waiting_for IS NOT NULL;
