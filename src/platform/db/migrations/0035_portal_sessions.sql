-- A sign-in continues in one of two ways. That of /oauth/login has one valid token, which each refresh replaces. That of the
-- portal has a cookie, and every token that names it is valid until it ends.
CREATE TABLE new_sessions (
  id           TEXT PRIMARY KEY, -- UUIDv7
  user_id      TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  jti          TEXT    UNIQUE, -- of the one token that is valid now
  cookie_hash  BLOB    UNIQUE, -- SHA-256 of 256 random bits
  amr          TEXT    NOT NULL CHECK (json_valid(amr)), -- how the person signed in (RFC 8176)
  address      TEXT    NOT NULL,
  user_agent   TEXT,
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL, -- when it can no longer be refreshed
  CHECK ((jti IS NULL) <> (cookie_hash IS NULL))
) STRICT;

INSERT INTO new_sessions (id, user_id, jti, amr, address, user_agent, created_at, last_used_at, expires_at)
  SELECT id, user_id, jti, amr, address, user_agent, created_at, last_used_at, expires_at FROM sessions;
DROP TABLE sessions;
ALTER TABLE new_sessions RENAME TO sessions;

CREATE INDEX sessions_user ON sessions (user_id, created_at);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- The code of the link that makes the first super-admin. There is at most one: a new code ends the one before.
CREATE TABLE setup_codes (
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  code_hash  BLOB    NOT NULL, -- SHA-256 of 80 random bits
  expires_at INTEGER NOT NULL
) STRICT;
