-- Products of a store. Triggers hold it equal to the number of rows.
ALTER TABLE stores ADD COLUMN product_count INTEGER NOT NULL DEFAULT 0;

UPDATE stores SET product_count = (SELECT count(*) FROM products WHERE store_id = stores.id);

-- By these a list is sorted. They are columns because SQLite seeks a pair of values in an index of columns only.
ALTER TABLE products ADD COLUMN sort_name TEXT AS (coalesce(name, '')) VIRTUAL;
ALTER TABLE products ADD COLUMN price_up REAL AS (coalesce(price, 1.7976931348623157e+308)) VIRTUAL;
ALTER TABLE products ADD COLUMN price_down REAL AS (coalesce(price, -1.7976931348623157e+308)) VIRTUAL;

-- One index for each order of a list, so that a page is a range of it whatever the size of the store.
DROP INDEX products_updated;
DROP INDEX products_category;
CREATE INDEX products_created ON products (store_id, created_at, vector_id);
CREATE INDEX products_updated ON products (store_id, updated_at, vector_id);
CREATE INDEX products_name ON products (store_id, sort_name, vector_id);
CREATE INDEX products_price_up ON products (store_id, price_up, vector_id);
CREATE INDEX products_price_down ON products (store_id, price_down, vector_id);
-- The brand is there for lists that filter by both.
CREATE INDEX products_category ON products (store_id, category, created_at, vector_id, brand) WHERE category IS NOT NULL;
CREATE INDEX products_category_name ON products (store_id, category, sort_name, vector_id) WHERE category IS NOT NULL;
CREATE INDEX products_category_price_up ON products (store_id, category, price_up, vector_id) WHERE category IS NOT NULL;
CREATE INDEX products_category_price_down ON products (store_id, category, price_down, vector_id) WHERE category IS NOT NULL;
CREATE INDEX products_brand ON products (store_id, brand, created_at, vector_id) WHERE brand IS NOT NULL;

-- The rows of products by every three characters in a row of the folded name and of the id in lower case. It only says
-- which products may fit a word: it knows neither stores nor the order of the characters.
CREATE VIRTUAL TABLE product_words USING fts5 (
  text, content = '', detail = none, columnsize = 0, tokenize = 'trigram case_sensitive 1');

INSERT INTO product_words (rowid, text)
SELECT id, coalesce(name, '') || char(10) || lower(product_id) FROM products;

INSERT INTO product_words (product_words) VALUES ('optimize');
-- FTS5 would now and then merge all that it has in one write, for a third of a second at 100,000 products. One write of
-- sixteen merges a little instead.
INSERT INTO product_words (product_words, rank) VALUES ('automerge', 0), ('crisismerge', 1000);

CREATE TRIGGER products_added AFTER INSERT ON products
BEGIN
  UPDATE stores SET product_count = product_count + 1 WHERE id = NEW.store_id;
  INSERT INTO product_words (rowid, text)
  VALUES (NEW.id, coalesce(NEW.name, '') || char(10) || lower(NEW.product_id));
  INSERT INTO product_words (product_words, rank) SELECT 'merge', 16 WHERE random() & 15 = 0;
END;

CREATE TRIGGER products_removed AFTER DELETE ON products
BEGIN
  UPDATE stores SET product_count = product_count - 1 WHERE id = OLD.store_id;
  INSERT INTO product_words (product_words, rowid, text)
  VALUES ('delete', OLD.id, coalesce(OLD.name, '') || char(10) || lower(OLD.product_id));
  INSERT INTO product_words (product_words, rank) SELECT 'merge', 16 WHERE random() & 15 = 0;
END;

CREATE TRIGGER products_renamed AFTER UPDATE OF name ON products WHEN OLD.name IS NOT NEW.name
BEGIN
  INSERT INTO product_words (product_words, rowid, text)
  VALUES ('delete', OLD.id, coalesce(OLD.name, '') || char(10) || lower(OLD.product_id));
  INSERT INTO product_words (rowid, text)
  VALUES (NEW.id, coalesce(NEW.name, '') || char(10) || lower(NEW.product_id));
  INSERT INTO product_words (product_words, rank) SELECT 'merge', 16 WHERE random() & 15 = 0;
END;

-- A product that changes its store, its number or its id would be counted and found wrongly.
CREATE TRIGGER products_moved BEFORE UPDATE OF id, store_id, product_id ON products
WHEN OLD.id <> NEW.id OR OLD.store_id <> NEW.store_id OR OLD.product_id <> NEW.product_id
BEGIN
  SELECT raise(ABORT, 'a product keeps its store and its id');
END;
