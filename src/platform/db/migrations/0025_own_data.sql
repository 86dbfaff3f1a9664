-- People who want another e-mail address. It applies when the present address has approved it and the new one, together
-- with the password, has confirmed it.
CREATE TABLE email_changes (
  user_id           TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  new_email         TEXT    NOT NULL,        -- normalised; it may belong to somebody else
  session_id        TEXT,                    -- of the sign-in that asked, which goes on
  approve_token_hash BLOB   NOT NULL UNIQUE, -- SHA-256, for the present address
  confirm_token_hash BLOB   NOT NULL UNIQUE, -- SHA-256, for the new address
  approved_at       INTEGER,
  confirmed_at      INTEGER,
  wrong_passwords   INTEGER NOT NULL DEFAULT 0, -- that came with the link for the new address; the fifth ends it
  created_at        INTEGER NOT NULL,
  expires_at        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX email_changes_expiry ON email_changes (expires_at);

-- Both shorten the way to a shopper's session, and nothing else.
CREATE INDEX searches_session ON searches (store_id, session_id) WHERE session_id IS NOT NULL;
CREATE INDEX feedback_events_session ON feedback_events (store_id, session_id) WHERE session_id IS NOT NULL;

-- Without them, deleting a person would read all keys and entries.
CREATE INDEX api_keys_maker ON api_keys (created_by) WHERE created_by IS NOT NULL;
CREATE INDEX ip_entries_maker ON ip_entries (created_by) WHERE created_by IS NOT NULL;

-- Events that a person caused in stores, and events that name an e-mail address.
CREATE INDEX audit_events_acts ON audit_events (user_id, id) WHERE store_id IS NOT NULL AND user_id IS NOT NULL;
CREATE INDEX audit_events_email ON audit_events (json_extract(details, '$.email'))
  WHERE json_extract(details, '$.email') IS NOT NULL;

-- What happened stays, and nothing changes but this: the e-mail address of a person gives way to the id of that person.
DROP TRIGGER audit_events_unchanged;
CREATE TRIGGER audit_events_unchanged BEFORE UPDATE ON audit_events
WHEN NOT (
  NEW.id IS OLD.id AND NEW.store_id IS OLD.store_id AND NEW.action IS OLD.action AND NEW.actor_kind IS OLD.actor_kind
  AND NEW.user_id IS OLD.user_id AND NEW.key_id IS OLD.key_id AND NEW.address IS OLD.address
  AND NEW.request_id IS OLD.request_id AND NEW.created_at IS OLD.created_at
  AND json_extract(OLD.details, '$.email') IS NOT NULL
  AND json_type(NEW.details, '$.email_of') IS 'text'
  AND NEW.details IS json_set(json_remove(OLD.details, '$.email'), '$.email_of', json_extract(NEW.details, '$.email_of'))
)
BEGIN
  SELECT raise(ABORT, 'audit events are append-only');
END;
