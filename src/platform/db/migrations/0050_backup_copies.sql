-- The copy of a backup in another place.
ALTER TABLE backups ADD COLUMN copy_state TEXT CHECK (copy_state IN ('waiting', 'sending', 'copied', 'failed')); -- null: none is wanted
ALTER TABLE backups ADD COLUMN copy_progress REAL NOT NULL DEFAULT 0;
ALTER TABLE backups ADD COLUMN copy_beat_at  INTEGER; -- Unix ms, like copied_at: when the program that sends it was last heard of
ALTER TABLE backups ADD COLUMN copy_address  TEXT;
ALTER TABLE backups ADD COLUMN copied_at     INTEGER;
ALTER TABLE backups ADD COLUMN copy_bytes    INTEGER; -- of the encrypted file, like copy_sha256
ALTER TABLE backups ADD COLUMN copy_sha256   TEXT;
ALTER TABLE backups ADD COLUMN copy_error    TEXT;
