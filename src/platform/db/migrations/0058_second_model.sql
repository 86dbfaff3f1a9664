-- The other model of a picture that has vectors of two: during a move to another model, and until the former one's are deleted.
ALTER TABLE pictures ADD COLUMN second_model INTEGER REFERENCES models (id);

-- With the second model, so that what waits for a vector is found, and counted, in the index alone.
DROP INDEX pictures_model;
CREATE INDEX pictures_model ON pictures (model, store_id, product, second_model);
