-- Work that a request leaves to the service.
CREATE TABLE jobs (
  id           INTEGER PRIMARY KEY,
  job_id       TEXT    NOT NULL UNIQUE, -- UUIDv7
  store_id     TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  type         TEXT    NOT NULL,        -- bulk_index, import, feed
  status       TEXT    NOT NULL CHECK (status IN ('preparing', 'processing', 'completed', 'failed', 'cancelled')),
  arrival      INTEGER,                 -- order of acknowledgement; null while the items are being written
  total        INTEGER NOT NULL DEFAULT 0,
  succeeded    INTEGER NOT NULL DEFAULT 0, -- these five count the items by their states
  unchanged    INTEGER NOT NULL DEFAULT 0,
  failed       INTEGER NOT NULL DEFAULT 0,
  cancelled    INTEGER NOT NULL DEFAULT 0,
  callback_url TEXT,
  warnings     TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(warnings)),
  created_at   INTEGER NOT NULL,        -- Unix ms, like the next two
  started_at   INTEGER,
  finished_at  INTEGER                  -- null while any item may still change
) STRICT;

CREATE INDEX jobs_newest ON jobs (store_id, created_at, job_id);
CREATE INDEX jobs_by_status ON jobs (store_id, status, created_at, job_id);
CREATE INDEX jobs_unfinished ON jobs (store_id) WHERE finished_at IS NULL;
CREATE INDEX jobs_age ON jobs (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX jobs_arrival ON jobs (arrival);

-- One product of a job: to write, or to delete.
CREATE TABLE job_items (
  id           INTEGER PRIMARY KEY,
  job          INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  store_id     TEXT    NOT NULL,
  position     INTEGER NOT NULL, -- in the request, from 0
  product_id   TEXT,             -- null where the item names none
  kind         TEXT    NOT NULL CHECK (kind IN ('put', 'delete')),
  content      TEXT,             -- the product as JSON, as long as it may be needed
  file_offset  INTEGER,          -- where a long content lies in the file of the job instead
  file_bytes   INTEGER,
  state        TEXT    NOT NULL CHECK (state IN ('pending', 'running', 'done', 'failed', 'cancelled')),
  effect       TEXT CHECK (effect IN ('indexed', 'updated', 'unchanged', 'deleted', 'overtaken')), -- when done
  is_overtaken INTEGER NOT NULL DEFAULT 0 CHECK (is_overtaken IN (0, 1)), -- failed, and the product was written since
  attempts     INTEGER NOT NULL DEFAULT 0,
  delays       INTEGER NOT NULL DEFAULT 0, -- how often the service was too busy
  due_at       INTEGER NOT NULL DEFAULT 0, -- Unix ms
  lease        TEXT,                       -- who works on it, until when
  leased_until INTEGER,
  error        TEXT CHECK (json_valid(error)),
  UNIQUE (job, position)
) STRICT;

CREATE INDEX job_items_due ON job_items (job, due_at, position) WHERE state = 'pending';
CREATE INDEX job_items_leased ON job_items (leased_until) WHERE state = 'running';
CREATE INDEX job_items_failed ON job_items (job, position) WHERE state = 'failed';
CREATE INDEX job_items_product ON job_items (store_id, product_id) WHERE state IN ('pending', 'running', 'failed');
