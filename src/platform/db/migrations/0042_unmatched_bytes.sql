-- The small pictures of searches that found nothing count in `stores.thumbnail_bytes`, too.
UPDATE stores SET thumbnail_bytes = thumbnail_bytes + (
  SELECT coalesce(sum(length(thumbnail)), 0) FROM unmet_searches INDEXED BY unmet_searches_thumbnail
  WHERE store_id = stores.id AND thumbnail IS NOT NULL);

CREATE TRIGGER unmet_thumbnails_added AFTER INSERT ON unmet_searches WHEN NEW.thumbnail IS NOT NULL
BEGIN
  UPDATE stores SET thumbnail_bytes = thumbnail_bytes + length(NEW.thumbnail) WHERE id = NEW.store_id;
END;

CREATE TRIGGER unmet_thumbnails_changed AFTER UPDATE OF thumbnail ON unmet_searches
BEGIN
  UPDATE stores SET thumbnail_bytes = thumbnail_bytes + coalesce(length(NEW.thumbnail), 0) - coalesce(length(OLD.thumbnail), 0)
  WHERE id = NEW.store_id;
END;

CREATE TRIGGER unmet_thumbnails_removed AFTER DELETE ON unmet_searches WHEN OLD.thumbnail IS NOT NULL
BEGIN
  UPDATE stores SET thumbnail_bytes = thumbnail_bytes - length(OLD.thumbnail) WHERE id = OLD.store_id;
END;
