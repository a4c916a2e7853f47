-- What is typed beside the answers.
ALTER TABLE draft ADD COLUMN message TEXT;
-- An approval's input while it is edited; not always JSON yet.
ALTER TABLE draft ADD COLUMN input TEXT;
