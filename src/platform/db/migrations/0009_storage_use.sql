-- A known word, sealed with each secret that lies outside the database: tells at start whether the secret is still the same.
CREATE TABLE seals (
  name   TEXT PRIMARY KEY,
  sealed BLOB NOT NULL -- AES-256-GCM
) STRICT, WITHOUT ROWID;

ALTER TABLE kept_pictures ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;

UPDATE kept_pictures SET bytes = coalesce((
  SELECT bytes FROM pictures
  WHERE pictures.store_id = kept_pictures.store_id AND pictures.content_hash = kept_pictures.content_hash
  LIMIT 1), 0);

-- Bytes of all pictures that a store keeps. Triggers hold it equal to the sum over the rows.
ALTER TABLE stores ADD COLUMN kept_bytes INTEGER NOT NULL DEFAULT 0;

UPDATE stores SET kept_bytes = (SELECT coalesce(sum(bytes), 0) FROM kept_pictures WHERE store_id = stores.id);

-- Kept pictures that may have lost their last product, until the sweeper has looked and the file is gone.
CREATE TABLE released_pictures (
  address      TEXT PRIMARY KEY,
  content_hash BLOB NOT NULL,
  seen_at      INTEGER -- Unix ms; null until the sweeper comes by
) STRICT, WITHOUT ROWID;

CREATE INDEX released_pictures_age ON released_pictures (seen_at);

INSERT INTO released_pictures (address, content_hash)
SELECT address, content_hash FROM kept_pictures WHERE NOT EXISTS (
  SELECT 1 FROM pictures WHERE pictures.store_id = kept_pictures.store_id
    AND pictures.content_hash = kept_pictures.content_hash
    AND pictures.image_url = '/pictures/' || kept_pictures.address);

-- Kept before its product is saved, which may never happen.
CREATE TRIGGER kept_pictures_added AFTER INSERT ON kept_pictures
BEGIN
  UPDATE stores SET kept_bytes = kept_bytes + NEW.bytes WHERE id = NEW.store_id;
  INSERT OR IGNORE INTO released_pictures (address, content_hash) VALUES (NEW.address, NEW.content_hash);
END;

CREATE TRIGGER kept_pictures_changed AFTER UPDATE OF bytes ON kept_pictures
BEGIN
  UPDATE stores SET kept_bytes = kept_bytes + NEW.bytes - OLD.bytes WHERE id = NEW.store_id;
END;

CREATE TRIGGER kept_pictures_removed AFTER DELETE ON kept_pictures
BEGIN
  UPDATE stores SET kept_bytes = kept_bytes - OLD.bytes WHERE id = OLD.store_id;
END;

CREATE TRIGGER pictures_removed AFTER DELETE ON pictures WHEN substr(OLD.image_url, 1, 10) = '/pictures/'
BEGIN
  INSERT INTO released_pictures (address, content_hash)
  SELECT address, content_hash FROM kept_pictures WHERE address = substr(OLD.image_url, 11)
  ON CONFLICT (address) DO UPDATE SET seen_at = NULL;
END;

CREATE TRIGGER pictures_moved AFTER UPDATE OF image_url ON pictures
WHEN substr(OLD.image_url, 1, 10) = '/pictures/' AND OLD.image_url <> NEW.image_url
BEGIN
  INSERT INTO released_pictures (address, content_hash)
  SELECT address, content_hash FROM kept_pictures WHERE address = substr(OLD.image_url, 11)
  ON CONFLICT (address) DO UPDATE SET seen_at = NULL;
END;

CREATE INDEX searches_age ON searches (created_at);
