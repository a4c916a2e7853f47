-- Which agent's token opened the ask: keys are unique among those of one owner. Empty for asks from before.
ALTER TABLE ask ADD COLUMN owner TEXT NOT NULL DEFAULT '';

DROP INDEX ask_by_key;
CREATE UNIQUE INDEX ask_by_key ON ask (agent, key, owner) WHERE key IS NOT NULL;
