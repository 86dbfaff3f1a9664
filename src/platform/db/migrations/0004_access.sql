ALTER TABLE users ADD COLUMN password_changed_at INTEGER; -- null: never since the account was made
ALTER TABLE users ADD COLUMN last_login_at INTEGER;

-- Counts up with each new secret: tokens of an older one end. kept_jti is the one token that asked for the change.
ALTER TABLE stores ADD COLUMN secret_generation INTEGER NOT NULL DEFAULT 1;
ALTER TABLE stores ADD COLUMN kept_jti TEXT;

-- Who asked for an account. Nothing of it exists until the link in the mail was opened.
CREATE TABLE registrations (
  id            TEXT PRIMARY KEY, -- UUIDv7
  email         TEXT    NOT NULL, -- normalised
  store_name    TEXT    NOT NULL,
  password_hash TEXT    NOT NULL, -- argon2id, PHC string
  token_hash    BLOB    NOT NULL UNIQUE, -- SHA-256
  created_at    INTEGER NOT NULL,
  expires_at    INTEGER NOT NULL,
  used_at       INTEGER,
  store_id      TEXT REFERENCES stores (id) ON DELETE CASCADE -- what came of it
) STRICT;

CREATE INDEX registrations_email ON registrations (email, created_at);
-- Oldest first: all live for equally long.
CREATE INDEX registrations_open ON registrations (expires_at) WHERE used_at IS NULL;
CREATE INDEX registrations_used ON registrations (used_at) WHERE used_at IS NOT NULL;

-- Who may register where REGISTRATION is "invite".
CREATE TABLE registration_invites (
  token_hash BLOB PRIMARY KEY, -- SHA-256
  email      TEXT    NOT NULL, -- normalised
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at    INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX registration_invites_expiry ON registration_invites (expires_at);

CREATE TABLE password_resets (
  token_hash BLOB PRIMARY KEY, -- SHA-256
  user_id    TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at    INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX password_resets_user ON password_resets (user_id);
CREATE INDEX password_resets_expiry ON password_resets (expires_at);

-- Mails that have not been delivered. The text carries tokens and is therefore encrypted.
CREATE TABLE outbox (
  id              TEXT PRIMARY KEY, -- UUIDv7
  recipient       TEXT    NOT NULL,
  subject         TEXT    NOT NULL,
  sealed_text     BLOB    NOT NULL, -- AES-256-GCM
  created_at      INTEGER NOT NULL,
  expires_at      INTEGER NOT NULL, -- when nobody wants it any more, as its link is dead then
  may_give_way    INTEGER NOT NULL DEFAULT 0 CHECK (may_give_way IN (0, 1)), -- 1: anybody can cause any number of it
  attempts        INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER NOT NULL,
  last_error      TEXT
) STRICT;

CREATE INDEX outbox_due ON outbox (may_give_way, next_attempt_at, id);
CREATE INDEX outbox_excess ON outbox (may_give_way DESC, id);

-- One sign-in of a person; its token changes with each refresh.
CREATE TABLE sessions (
  id           TEXT PRIMARY KEY, -- UUIDv7
  user_id      TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  jti          TEXT    NOT NULL UNIQUE, -- of the one token that is valid now
  amr          TEXT    NOT NULL CHECK (json_valid(amr)), -- how the person proved himself (RFC 8176)
  address      TEXT    NOT NULL,
  user_agent   TEXT,
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL -- when its token can no longer be refreshed
) STRICT;

CREATE INDEX sessions_user ON sessions (user_id, created_at);
CREATE INDEX sessions_expiry ON sessions (expires_at);

CREATE TABLE two_factor (
  user_id       TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  sealed_secret BLOB    NOT NULL, -- AES-256-GCM over the base32 text
  created_at    INTEGER NOT NULL,
  enabled_at    INTEGER, -- null until a first code was right
  last_step     INTEGER  -- newest time step whose code was accepted (RFC 6238 §5.2)
) STRICT, WITHOUT ROWID;

CREATE TABLE recovery_codes (
  user_id   TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  code_hash BLOB NOT NULL, -- HMAC-SHA-256 with a key outside the database
  used_at   INTEGER,
  PRIMARY KEY (user_id, code_hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE user_groups (
  id               TEXT PRIMARY KEY, -- UUIDv7
  store_id         TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  name             TEXT    NOT NULL,
  permission_names TEXT    NOT NULL CHECK (json_valid(permission_names)),
  created_at       INTEGER NOT NULL,
  UNIQUE (store_id, name)
) STRICT;

CREATE TABLE user_group_members (
  group_id TEXT NOT NULL REFERENCES user_groups (id) ON DELETE CASCADE,
  user_id  TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (group_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX user_group_members_user ON user_group_members (user_id);

CREATE TABLE api_keys (
  id                  TEXT PRIMARY KEY, -- UUIDv7
  store_id            TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  name                TEXT    NOT NULL,
  key_hash            BLOB    NOT NULL UNIQUE, -- SHA-256
  prefix              TEXT    NOT NULL,        -- first 12 characters, for people to tell keys apart
  scopes              TEXT    NOT NULL CHECK (json_valid(scopes)), -- permission names
  created_at          INTEGER NOT NULL,
  created_by          TEXT REFERENCES users (id) ON DELETE SET NULL, -- null: a machine grant
  lifetime_days       INTEGER, -- null: for ever; a rotation starts it anew
  expires_at          INTEGER,
  last_used_at        INTEGER,
  last_used_ip        TEXT,
  rotated_at          INTEGER,
  previous_key_hash   BLOB UNIQUE, -- the key before the last rotation,
  previous_expires_at INTEGER      -- which is still accepted until then
) STRICT;

CREATE INDEX api_keys_store ON api_keys (store_id);

CREATE TABLE ip_entries (
  id          TEXT PRIMARY KEY, -- UUIDv7
  store_id    TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  cidr        TEXT    NOT NULL, -- normalised block of addresses
  description TEXT    NOT NULL DEFAULT '',
  created_at  INTEGER NOT NULL,
  created_by  TEXT REFERENCES users (id) ON DELETE SET NULL, -- null: a machine grant
  UNIQUE (store_id, cidr)
) STRICT;

ALTER TABLE public_keys ADD COLUMN rate_per_minute INTEGER; -- null: the plan's own
ALTER TABLE public_keys ADD COLUMN allowed TEXT NOT NULL
  DEFAULT '["text","upload","url","feedback"]' CHECK (json_valid(allowed));

-- Requests and failures that count towards a limit; kept so that a restart forgives nobody.
CREATE TABLE throttle_events (
  bucket TEXT    NOT NULL,
  key    TEXT    NOT NULL,
  at     INTEGER NOT NULL -- Unix ms
) STRICT;

CREATE INDEX throttle_events_key ON throttle_events (bucket, key, at);
CREATE INDEX throttle_events_age ON throttle_events (bucket, at);

CREATE TABLE audit_events (
  id         TEXT PRIMARY KEY, -- UUIDv7
  store_id   TEXT,             -- null: it concerns a person, not a store
  action     TEXT    NOT NULL,
  actor_kind TEXT    NOT NULL CHECK (actor_kind IN ('person', 'machine', 'key', 'operator', 'anyone')),
  user_id    TEXT,             -- the person who acted, or who is concerned
  key_id     TEXT,
  details    TEXT    NOT NULL CHECK (json_valid(details)),
  address    TEXT,
  request_id TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX audit_events_store ON audit_events (store_id, id);
CREATE INDEX audit_events_user ON audit_events (user_id, id) WHERE store_id IS NULL;
CREATE INDEX audit_events_age ON audit_events (created_at);

-- What happened stays: no change, and no deletion of anything younger than a year.
CREATE TRIGGER audit_events_unchanged BEFORE UPDATE ON audit_events
BEGIN
  SELECT raise(ABORT, 'audit events are append-only');
END;

-- A row that INSERT OR REPLACE writes over would go without the trigger for deletions.
CREATE TRIGGER audit_events_added BEFORE INSERT ON audit_events
WHEN EXISTS (SELECT 1 FROM audit_events WHERE id = NEW.id)
BEGIN
  SELECT raise(ABORT, 'audit events are append-only');
END;

CREATE TRIGGER audit_events_kept BEFORE DELETE ON audit_events
WHEN OLD.created_at > (SELECT max(created_at) FROM audit_events) - 31536000000
BEGIN
  SELECT raise(ABORT, 'audit events are kept for a year');
END;
