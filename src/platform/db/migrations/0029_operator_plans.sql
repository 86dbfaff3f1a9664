-- Keys of requests that a person repeats who acts for no store, as idempotency_keys for stores.
CREATE TABLE person_idempotency_keys (
  user_id     TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  key         TEXT    NOT NULL,
  fingerprint BLOB    NOT NULL, -- SHA-256 of method, path and body
  status      INTEGER,          -- null while the first call runs
  body        TEXT,
  created_at  INTEGER NOT NULL,
  PRIMARY KEY (user_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX person_idempotency_keys_age ON person_idempotency_keys (created_at);

-- The currency in which a plan was asked for: the operator's list of plans may change.
ALTER TABLE checkouts ADD COLUMN currency TEXT NOT NULL DEFAULT 'USD'; -- ISO 4217
