-- Whether the agent went on with an answer that no person gave. Before this there was nobody to doubt it.
ALTER TABLE ask ADD COLUMN doubted INTEGER NOT NULL DEFAULT 0;

CREATE INDEX ask_doubted ON ask (ended_at) WHERE doubted = 1;
