-- On which machine the agent works: the same directory may be another project there.
ALTER TABLE ask ADD COLUMN host TEXT;

-- What is there already says so in the log.
UPDATE ask SET host = event.body ->> '$.asker.host'
FROM event WHERE event.ask = ask.id AND event.name = 'ask.opened' AND json_valid(event.body);
