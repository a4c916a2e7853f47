// The scanner of the Panopticon document, which reads the whole file, splits it and parses every line.
// Prints how many calls it found and how many of them have no result.
import { readFileSync } from 'node:fs';

const text = readFileSync(process.argv[2], 'utf-8');
const lines = text.split('\n').filter((line) => line.trim());

const calls = new Map();
const answered = new Set();

for (const line of lines) {
  try {
    const entry = JSON.parse(line);
    const content = entry.message?.content;
    if (!Array.isArray(content)) continue;
    for (const item of content) {
      if (item.type === 'tool_use' && item.name === 'AskUserQuestion') {
        calls.set(item.id, {
          toolId: item.id,
          sessionId: entry.sessionId,
          timestamp: entry.timestamp,
          questions: item.input.questions,
        });
      }
      if (item.type === 'tool_result') {
        answered.add(item.tool_use_id);
      }
    }
  } catch {
    // A line that is not whole yet.
  }
}

const pending = [...calls.keys()].filter((id) => !answered.has(id));
console.log(JSON.stringify({ calls: calls.size, waiting: pending.length }));
