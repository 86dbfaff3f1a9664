CREATE TABLE stores (
  id                 TEXT PRIMARY KEY, -- UUIDv7; also the client_id of the machine grant
  slug               TEXT    NOT NULL UNIQUE,
  name               TEXT    NOT NULL,
  plan               TEXT    NOT NULL CHECK (plan IN ('free', 'basic', 'premium', 'enterprise')),
  client_secret_hash BLOB    NOT NULL, -- SHA-256
  created_at         INTEGER NOT NULL  -- Unix ms
) STRICT;

CREATE TABLE users (
  id             TEXT PRIMARY KEY, -- UUIDv7
  email          TEXT    NOT NULL UNIQUE, -- normalised
  name           TEXT    NOT NULL,
  password_hash  TEXT    NOT NULL, -- argon2id, PHC string
  is_super_admin INTEGER NOT NULL DEFAULT 0 CHECK (is_super_admin IN (0, 1)),
  verified_at    INTEGER,
  created_at     INTEGER NOT NULL
) STRICT;

CREATE TABLE memberships (
  user_id      TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  store_id     TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  role         TEXT    NOT NULL CHECK (role IN ('owner', 'admin', 'developer', 'viewer')),
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER,
  PRIMARY KEY (user_id, store_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX memberships_store ON memberships (store_id);

-- Tokens that ended before their time; a row may go when the token could not be refreshed any more.
CREATE TABLE revoked_tokens (
  jti        TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL -- Unix ms
) STRICT, WITHOUT ROWID;

CREATE INDEX revoked_tokens_expiry ON revoked_tokens (expires_at);

CREATE TABLE public_keys (
  id         TEXT PRIMARY KEY, -- UUIDv7
  store_id   TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  name       TEXT    NOT NULL,
  key_hash   BLOB    NOT NULL UNIQUE, -- SHA-256
  prefix     TEXT    NOT NULL,        -- first 12 characters, for people to tell keys apart
  origins    TEXT    NOT NULL CHECK (json_valid(origins)),
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX public_keys_store ON public_keys (store_id);

CREATE TABLE idempotency_keys (
  store_id    TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  key         TEXT    NOT NULL,
  fingerprint BLOB    NOT NULL, -- SHA-256 of method, path and body
  status      INTEGER,          -- null while the first call runs
  body        TEXT,
  created_at  INTEGER NOT NULL,
  PRIMARY KEY (store_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
