-- Whether the metadata says that a product is sold out (src/core/sold-out.ts).
ALTER TABLE products ADD COLUMN sold_out INTEGER NOT NULL DEFAULT 0 CHECK (sold_out IN (0, 1));

-- Products that may be: the next start reads what they say.
UPDATE products SET is_unfolded = 1
WHERE json_extract(metadata, '$.in_stock') IN (0, '0')
  OR coalesce(lower(metadata ->> '$.availability'), 'in_stock') NOT IN ('in_stock', 'in stock', 'instock', 'available')
  OR CASE json_type(metadata, '$.stock') WHEN 'integer' THEN (metadata ->> '$.stock') <= 0 WHEN 'real' THEN (metadata ->> '$.stock') <= 0
    ELSE json_type(metadata, '$.stock') IS NOT NULL END
  OR json_array_length(metadata, '$.variants') > 0;
