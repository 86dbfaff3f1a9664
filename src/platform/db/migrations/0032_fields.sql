-- What is paid: `price` holds the sale's price while a sale holds. These say what else it may be, for products with a sale
-- below their price only, and when it turns next.
ALTER TABLE products ADD COLUMN regular_price REAL;
ALTER TABLE products ADD COLUMN sale REAL;
ALTER TABLE products ADD COLUMN sale_from INTEGER;  -- Unix ms
ALTER TABLE products ADD COLUMN sale_until INTEGER; -- Unix ms, from which on it is over
ALTER TABLE products ADD COLUMN price_turns_at INTEGER;

CREATE INDEX products_turns ON products (store_id, price_turns_at) WHERE price_turns_at IS NOT NULL;
CREATE INDEX products_turn_times ON products (price_turns_at) WHERE price_turns_at IS NOT NULL;

-- The folded names and paths of the levels above a product's category, its own among them: a JSON list, null for none.
ALTER TABLE products ADD COLUMN levels TEXT;

-- Products by these names, in the order of their age.
CREATE TABLE product_levels (
  store_id   TEXT    NOT NULL,
  name       TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  vector_id  TEXT    NOT NULL,
  product    INTEGER NOT NULL,
  PRIMARY KEY (store_id, name, created_at, vector_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER products_levels_added AFTER INSERT ON products WHEN NEW.levels IS NOT NULL
BEGIN
  INSERT INTO product_levels (store_id, name, created_at, vector_id, product)
  SELECT NEW.store_id, value, NEW.created_at, NEW.vector_id, NEW.id FROM json_each(NEW.levels);
END;

CREATE TRIGGER products_levels_changed AFTER UPDATE OF levels ON products WHEN OLD.levels IS NOT NEW.levels
BEGIN
  DELETE FROM product_levels
  WHERE store_id = OLD.store_id AND name IN (SELECT value FROM json_each(OLD.levels))
    AND created_at = OLD.created_at AND vector_id = OLD.vector_id;
  INSERT INTO product_levels (store_id, name, created_at, vector_id, product)
  SELECT NEW.store_id, value, NEW.created_at, NEW.vector_id, NEW.id FROM json_each(NEW.levels);
END;

CREATE TRIGGER products_levels_removed AFTER DELETE ON products WHEN OLD.levels IS NOT NULL
BEGIN
  DELETE FROM product_levels
  WHERE store_id = OLD.store_id AND name IN (SELECT value FROM json_each(OLD.levels))
    AND created_at = OLD.created_at AND vector_id = OLD.vector_id;
END;

-- The group of variants that a product is in, for what names each product once.
ALTER TABLE products ADD COLUMN variant_group TEXT AS (
  CASE json_type(metadata, '$.variant_group') WHEN 'text' THEN nullif(metadata ->> '$.variant_group', '') END) VIRTUAL;
CREATE INDEX products_group ON products (store_id, variant_group, sort_name) WHERE variant_group IS NOT NULL;

-- Products whose copies the next start makes anew, because they say what these columns are about.
ALTER TABLE products ADD COLUMN is_unfolded INTEGER NOT NULL DEFAULT 0 CHECK (is_unfolded IN (0, 1));
CREATE INDEX products_unfolded ON products (id) WHERE is_unfolded = 1;
UPDATE products SET is_unfolded = 1
WHERE json_type(metadata, '$.sale_price') IN ('integer', 'real') OR json_type(metadata, '$.category_path') = 'array';
