-- Files of products that the service pulls by their address.
CREATE TABLE feeds (
  id                   TEXT PRIMARY KEY, -- UUIDv7
  store_id             TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  url                  TEXT    NOT NULL, -- without user name and password
  credentials          BLOB,             -- these two, AES-256-GCM
  format               TEXT,
  interval_minutes     INTEGER NOT NULL,
  mapping              TEXT CHECK (json_valid(mapping)),
  delete_missing       INTEGER NOT NULL CHECK (delete_missing IN (0, 1)),
  revision             INTEGER NOT NULL DEFAULT 0, -- counts the changes after which the file means something else
  next_run_at          INTEGER NOT NULL, -- Unix ms, like all moments here
  asked                TEXT CHECK (json_valid(asked)), -- how a client wants the next run; null: nobody asked for it
  consecutive_failures INTEGER NOT NULL DEFAULT 0,
  etag                 TEXT,             -- these three tell the file of the last run that took it in
  last_modified        TEXT,
  content_hash         BLOB,             -- SHA-256
  trusted_until        INTEGER,          -- from then on the file is read although it is the same; null: never
  is_running           INTEGER NOT NULL DEFAULT 0 CHECK (is_running IN (0, 1)),
  run_number           INTEGER NOT NULL DEFAULT 0, -- of the last run that began
  complete_run         INTEGER NOT NULL DEFAULT 0, -- of the last run that read the whole file
  settled_run          INTEGER NOT NULL DEFAULT 0, -- of the last run that did so and was not stopped
  run_status           TEXT CHECK (run_status IN
    ('pulling', 'importing', 'finishing', 'completed', 'unchanged', 'stopped', 'failed', 'cancelled')),
  run_job_id           TEXT,
  run_deleted          INTEGER NOT NULL DEFAULT 0, -- products that the run deleted
  run                  TEXT CHECK (json_valid(run)),
  created_at           INTEGER NOT NULL,
  updated_at           INTEGER NOT NULL,
  deleted_at           INTEGER           -- its rows below are being deleted, and then this one
) STRICT, WITHOUT ROWID;

CREATE INDEX feeds_store ON feeds (store_id, id);
CREATE INDEX feeds_due ON feeds (next_run_at) WHERE is_running = 0 AND deleted_at IS NULL;
CREATE INDEX feeds_running ON feeds (run_status) WHERE is_running = 1 AND deleted_at IS NULL;
CREATE INDEX feeds_deleted ON feeds (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX feeds_job ON feeds (run_job_id) WHERE run_job_id IS NOT NULL;

-- The products that a feed names, and those of them that it brought.
CREATE TABLE feed_products (
  feed_id    TEXT    NOT NULL REFERENCES feeds (id) ON DELETE CASCADE,
  store_id   TEXT    NOT NULL,
  product_id TEXT    NOT NULL,
  seen_run   INTEGER NOT NULL, -- the last run whose file named it
  brought_in INTEGER,          -- the run that made it; null: it came by another way, or is not there
  PRIMARY KEY (feed_id, product_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX feed_products_product ON feed_products (store_id, product_id);
CREATE INDEX feed_products_brought ON feed_products (feed_id, product_id) WHERE brought_in IS NOT NULL;
CREATE INDEX feed_products_seen ON feed_products (feed_id, seen_run) WHERE brought_in IS NULL;

-- Whoever makes a product of that id again, it is another one.
CREATE TRIGGER feed_products_gone AFTER DELETE ON products
BEGIN
  UPDATE feed_products SET brought_in = NULL
  WHERE store_id = OLD.store_id AND product_id = OLD.product_id AND brought_in IS NOT NULL;
END;
