-- Which items of jobs were worked on when the program died, and how often each one was.

ALTER TABLE job_items ADD COLUMN is_begun INTEGER NOT NULL DEFAULT 0 CHECK (is_begun IN (0, 1));
ALTER TABLE job_items ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
