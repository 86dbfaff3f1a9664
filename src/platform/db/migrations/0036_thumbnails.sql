-- Small copies of the pictures of products: one for all pictures of a store with the same content.
CREATE TABLE thumbnails (
  id           INTEGER PRIMARY KEY,
  store_id     TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  content_hash BLOB    NOT NULL, -- of the picture
  hash         BLOB    NOT NULL UNIQUE, -- of store and content: 128 bits of a SHA-256, as in the address
  webp         BLOB    NOT NULL
) STRICT;

CREATE INDEX thumbnails_store ON thumbnails (store_id);

-- 1: the picture has a thumbnail; 0: none can be made; below: so many tries are left to make one.
ALTER TABLE pictures ADD COLUMN thumbnail INTEGER NOT NULL DEFAULT -3;

CREATE INDEX pictures_without_thumbnail ON pictures (store_id, id) WHERE thumbnail < 0;

-- Bytes of all thumbnails of a store. Triggers hold it equal to the sum over the rows.
ALTER TABLE stores ADD COLUMN thumbnail_bytes INTEGER NOT NULL DEFAULT 0;

CREATE TRIGGER thumbnails_added AFTER INSERT ON thumbnails
BEGIN
  UPDATE stores SET thumbnail_bytes = thumbnail_bytes + length(NEW.webp) WHERE id = NEW.store_id;
END;

CREATE TRIGGER thumbnails_removed AFTER DELETE ON thumbnails
BEGIN
  UPDATE stores SET thumbnail_bytes = thumbnail_bytes - length(OLD.webp) WHERE id = OLD.store_id;
END;

-- Stores that want none, whose thumbnails are deleted step by step.
CREATE INDEX store_settings_without_thumbnails ON store_settings (store_id) WHERE json_extract(settings, '$.thumbnails') = 0;

-- The query picture in small, where the store keeps it; for 30 days.
ALTER TABLE unmet_searches ADD COLUMN thumbnail BLOB; -- WebP
CREATE INDEX unmet_searches_thumbnail ON unmet_searches (store_id, created_at) WHERE thumbnail IS NOT NULL;
