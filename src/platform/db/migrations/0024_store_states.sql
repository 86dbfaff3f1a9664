-- A suspended store answers nothing and does no work, and loses nothing.
ALTER TABLE stores ADD COLUMN suspended_at INTEGER;   -- Unix ms, like the next ones; null: the store works
ALTER TABLE stores ADD COLUMN suspended_reason TEXT;
ALTER TABLE stores ADD COLUMN delete_at INTEGER;      -- when it is deleted for good; it is suspended until then
ALTER TABLE stores ADD COLUMN delete_asked_by TEXT;   -- id of the person; null: the operator at the command line
ALTER TABLE stores ADD COLUMN erasing_at INTEGER;     -- since when its rows are being deleted: it exists for nobody any more

CREATE INDEX stores_suspended ON stores (suspended_at) WHERE suspended_at IS NOT NULL;

-- The deletion of a store finds its rows by these, and the rows of no other store.
CREATE INDEX feedback_events_store ON feedback_events (store_id, created_at);
CREATE INDEX registrations_store ON registrations (store_id);

-- However the row of a kept picture goes, the sweeper deletes its file.
CREATE TRIGGER kept_pictures_gone AFTER DELETE ON kept_pictures
BEGIN
  INSERT OR IGNORE INTO released_pictures (address, content_hash) VALUES (OLD.address, OLD.content_hash);
END;

-- The log of a store goes with the store.
DROP TRIGGER audit_events_kept;
CREATE TRIGGER audit_events_kept BEFORE DELETE ON audit_events
WHEN OLD.created_at > (SELECT max(created_at) FROM audit_events) - 31536000000
  AND NOT EXISTS (SELECT 1 FROM stores WHERE id = OLD.store_id AND erasing_at IS NOT NULL)
BEGIN
  SELECT raise(ABORT, 'audit events are kept for a year');
END;

-- The log of this node: what concerns no store.
CREATE INDEX audit_events_node ON audit_events (id) WHERE store_id IS NULL;
CREATE INDEX audit_events_node_action ON audit_events (action, id) WHERE store_id IS NULL;
