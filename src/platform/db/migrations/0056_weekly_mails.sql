-- Whether the sealed text of a mail is JSON with its parts; 0 for a plain text.
ALTER TABLE outbox ADD COLUMN has_parts INTEGER NOT NULL DEFAULT 0 CHECK (has_parts IN (0, 1));

-- The last Monday on which a store was looked at for its weekly mail.
CREATE TABLE weekly_mails (
  store_id TEXT PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
  monday   INTEGER NOT NULL -- days since 1970
) STRICT, WITHOUT ROWID;

-- Owners who want no weekly mail of a store.
CREATE TABLE weekly_mail_leavers (
  store_id TEXT NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  user_id  TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  left_at  INTEGER NOT NULL, -- Unix ms
  PRIMARY KEY (store_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX weekly_mail_leavers_user ON weekly_mail_leavers (user_id);
