-- The shopper's session that a search belongs to, as the client names it.
ALTER TABLE searches ADD COLUMN session_id TEXT;
