-- A widget key is public and can be shown again. null: of an earlier version only the hash is kept.
ALTER TABLE public_keys ADD COLUMN key TEXT;

-- What every search with the key is limited to, in the filter language; null for no limit.
ALTER TABLE public_keys ADD COLUMN forced_filters TEXT CHECK (json_valid(forced_filters));
