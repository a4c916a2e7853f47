-- How long each ask took, to be added up without reading what was asked.
ALTER TABLE ask ADD COLUMN directory TEXT;
ALTER TABLE ask ADD COLUMN asked_at INTEGER NOT NULL DEFAULT 0;  -- microseconds since 1970
ALTER TABLE ask ADD COLUMN by_person INTEGER NOT NULL DEFAULT 0; -- whether a person ended it

-- What is there already says so in the log.
UPDATE ask SET asked_at = event.at,
    directory = CASE WHEN json_valid(event.body) THEN event.body ->> '$.asker.directory' END
FROM event WHERE event.ask = ask.id AND event.name = 'ask.opened';

UPDATE ask SET by_person = 1
FROM event WHERE event.ask = ask.id AND event.name = 'ask.resolved' AND json_valid(event.body)
    AND event.body ->> '$.responder.surface' <> 'rule';
