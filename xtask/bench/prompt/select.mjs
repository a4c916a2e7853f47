import { readFileSync } from "node:fs";
import { select } from "@inquirer/prompts";

const { questions: [question] } = JSON.parse(readFileSync("question.json", "utf8"));
await select({
  message: question.question,
  choices: question.options.map((option) => ({
    name: option.label,
    value: option.label,
    description: option.description,
  })),
});
