/** What the tests' agents ask. */

import type { QuestionJson } from "../src/generated/v1.ts";

export const database: QuestionJson = {
  question: "Which database should we use for this project?",
  header: "Database",
  multiSelect: false,
  options: [
    { label: "PostgreSQL (Recommended)", description: "Robust relational DB, great for complex queries" },
    { label: "MongoDB", description: "Document DB, flexible schema for rapid development" },
    { label: "SQLite", description: "Embedded DB, zero configuration, good for small apps" },
  ],
};

export const features: QuestionJson = {
  question: "Which features should we enable?",
  header: "Features",
  multiSelect: true,
  options: [
    { label: "TypeScript", description: "Type safety and better IDE support" },
    { label: "ESLint + Prettier", description: "Code linting and formatting" },
    { label: "Testing (Vitest)", description: "Unit and component testing" },
    { label: "Tailwind CSS", description: "Utility-first CSS framework" },
  ],
};

export const auth: QuestionJson = {
  question: "Which authentication method should we use?",
  header: "Auth Method",
  multiSelect: false,
  options: [
    { label: "OAuth 2.0 (Recommended)", description: "Industry standard, supports social login" },
    { label: "JWT", description: "Stateless tokens, good for APIs" },
    { label: "Session-based", description: "Traditional cookie sessions" },
  ],
};

export const layout: QuestionJson = {
  question: "Which layout should the dashboard have?",
  header: "Layout",
  multiSelect: false,
  options: [
    { label: "Sidebar", description: "Navigation at the left", preview: "┌────┬──────────┐\n│nav │ content  │\n│    │          │\n└────┴──────────┘" },
    { label: "Top bar", description: "Navigation above", preview: "## Top bar\n\n- **Fast** to reach\n- `nav` above\n\n```html\n<nav>…</nav>\n```" },
    { label: "Cards", description: "Everything at once", preview: '<div style="display:grid;grid-template-columns:1fr 1fr;gap:8px;font-family:sans-serif"><div style="background:#dbeafe;padding:16px">One</div><div style="background:#fde68a;padding:16px">Two</div></div>' },
  ],
};
