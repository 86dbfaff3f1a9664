-- An invitation to a store. A row stays for a while after its end, so that its link can say what became of it.
CREATE TABLE team_invites (
  id           TEXT PRIMARY KEY, -- UUIDv7
  store_id     TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  email        TEXT    NOT NULL, -- normalised
  role         TEXT    NOT NULL CHECK (role IN ('owner', 'admin', 'developer', 'viewer')),
  token_hash   BLOB    NOT NULL UNIQUE, -- SHA-256
  invited_by   TEXT REFERENCES users (id) ON DELETE SET NULL,
  email_sent   INTEGER NOT NULL DEFAULT 0 CHECK (email_sent IN (0, 1)),
  is_proof     INTEGER NOT NULL DEFAULT 0 CHECK (is_proof IN (0, 1)), -- 1: whoever has the link has the mailbox
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL,
  accepted_at  INTEGER,
  cancelled_at INTEGER
) STRICT;

CREATE INDEX team_invites_store ON team_invites (store_id, email);
CREATE INDEX team_invites_email ON team_invites (email);
CREATE INDEX team_invites_expiry ON team_invites (expires_at);

-- The name without case and accents, by which it is unique in its store.
ALTER TABLE user_groups ADD COLUMN name_key TEXT;

CREATE UNIQUE INDEX user_groups_name ON user_groups (store_id, name_key);

-- Whoever leaves a store leaves its groups, and comes back without them.
CREATE TRIGGER memberships_ended AFTER DELETE ON memberships
BEGIN
  DELETE FROM user_group_members
  WHERE user_id = OLD.user_id AND group_id IN (SELECT id FROM user_groups WHERE store_id = OLD.store_id);
END;
