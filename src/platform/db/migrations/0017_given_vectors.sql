-- 1 for a picture whose vector and facts came with an import: a client's word, which no other product may take over.
ALTER TABLE pictures ADD COLUMN is_given INTEGER NOT NULL DEFAULT 0 CHECK (is_given IN (0, 1));
