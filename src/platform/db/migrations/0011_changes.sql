-- The last number of each store's feed of changes. Its own table, so that a store without changes costs nothing.
CREATE TABLE change_numbers (
  store_id    TEXT PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
  last_number INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Every change of a store's products, in its order. Rows are added at the end and deleted from the start.
CREATE TABLE changes (
  id         INTEGER PRIMARY KEY,
  store_id   TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  number     INTEGER NOT NULL, -- counts from 1 in each store, without gaps
  event      TEXT    NOT NULL,
  origin     TEXT    NOT NULL, -- client, demo, reembedding, restore
  data       TEXT    NOT NULL, -- JSON, as receivers get it
  created_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX changes_number ON changes (store_id, number);

CREATE TABLE webhooks (
  id                   TEXT PRIMARY KEY, -- UUIDv7
  store_id             TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  url                  TEXT    NOT NULL,
  events               TEXT    NOT NULL, -- JSON array of names
  description          TEXT,
  enabled              INTEGER NOT NULL,
  disabled_reason      TEXT,             -- null while enabled
  consecutive_failures INTEGER NOT NULL DEFAULT 0,
  failing_since        INTEGER,          -- first failure since the last success
  last_delivery_at     INTEGER,
  last_status          INTEGER,          -- null: no answer, or no attempt yet
  created_at           INTEGER NOT NULL,
  updated_at           INTEGER NOT NULL,
  deleted_at           INTEGER           -- its deliveries are being deleted, and then the row
) STRICT, WITHOUT ROWID;

CREATE INDEX webhooks_store ON webhooks (store_id, id);
CREATE INDEX webhooks_deleted ON webhooks (deleted_at) WHERE deleted_at IS NOT NULL;

-- Secrets that sign deliveries: those of each webhook, and those of the callbacks of a store.
CREATE TABLE signing_secrets (
  store_id   TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  owner      TEXT    NOT NULL, -- id of the webhook, or "callbacks"
  number     INTEGER NOT NULL, -- counts up with each rotation
  sealed     BLOB    NOT NULL, -- AES-256-GCM
  hint       TEXT    NOT NULL, -- last four characters
  expires_at INTEGER,          -- null: the current one
  PRIMARY KEY (store_id, owner, number)
) STRICT, WITHOUT ROWID;

-- What is sent, or was sent, to one address.
CREATE TABLE deliveries (
  row             INTEGER PRIMARY KEY,
  id              TEXT    NOT NULL, -- UUIDv7
  store_id        TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  endpoint        TEXT    NOT NULL, -- id of the webhook; for a callback id of the job
  callback_url    TEXT,             -- null: goes to the address of the webhook
  event           TEXT    NOT NULL,
  change_number   INTEGER,          -- the change that it tells of, whose row holds its data
  data            TEXT,             -- JSON, where it tells of no change
  is_test         INTEGER NOT NULL DEFAULT 0,
  created_at      INTEGER NOT NULL,
  state           TEXT    NOT NULL DEFAULT 'pending', -- pending, delivered, failed
  step            INTEGER NOT NULL DEFAULT 0, -- attempts since it was last made due by hand
  attempts        INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER,                    -- null unless pending
  last_attempt_at INTEGER,
  last_status     INTEGER,
  last_error      TEXT,
  last_answer     TEXT,                       -- beginning of the answer's body
  last_ms         INTEGER
) STRICT;

CREATE UNIQUE INDEX deliveries_id ON deliveries (store_id, id);
CREATE INDEX deliveries_log ON deliveries (endpoint, state, id);
CREATE INDEX deliveries_due ON deliveries (endpoint, next_attempt_at, id) WHERE state = 'pending';
-- One delivery for each change and webhook, so that making them again makes none twice.
CREATE UNIQUE INDEX deliveries_change ON deliveries (store_id, change_number, endpoint) WHERE change_number IS NOT NULL;
