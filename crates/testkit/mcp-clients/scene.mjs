// Drives `handraise mcp` with the official SDKs for TypeScript, as any program would, and says on
// standard output what came of it, line by line. Told by its argument:
//
//   sdk      "1" (@modelcontextprotocol/sdk) or "2" (@modelcontextprotocol/client)
//   mode     how version 2 is to agree on a revision: "legacy", "auto", or {"pin": "2026-07-28"}
//   command  the server and its arguments
//   env      its environment
import { Ajv2020 } from "ajv/dist/2020.js";

const told = JSON.parse(process.argv[2]);
const say = (line) => console.log(JSON.stringify(line));

async function connected() {
  const [command, ...args] = told.command;
  const info = { name: "scene", version: "1" };
  if (told.sdk === "1") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const client = new Client(info);
    const transport = new StdioClientTransport({ command, args, env: told.env });
    let protocol;
    transport.setProtocolVersion = (version) => (protocol = version);
    await client.connect(transport);
    const call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options);
    return { client, call, protocol };
  }
  const { Client } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const client = new Client(info, { versionNegotiation: { mode: told.mode } });
  await client.connect(new StdioClientTransport({ command, args, env: told.env }));
  const call = (name, args, options) => client.callTool({ name, arguments: args }, options);
  return { client, call, protocol: client.getNegotiatedProtocolVersion() };
}

const question = (text) => ({
  questions: [{ question: text, options: [{ label: "yes, \"really\"" }, { label: "no" }] }],
  why: "It is asked for by a test.",
});

const { client, call, protocol } = await connected();
say({ connected: client.getServerVersion()?.name ?? null, protocol: protocol ?? null });

const { tools } = await client.listTools();
const ajv = new Ajv2020({ strict: false });
const valid = {};
for (const tool of tools) {
  ajv.compile(tool.inputSchema);
  valid[tool.name] = ajv.compile(tool.outputSchema);
}
say({ tools: tools.map((tool) => tool.name) });

const checked = (name, result) => {
  if (!result.isError && !valid[name](result.structuredContent)) {
    throw new Error(`${name}: ${ajv.errorsText(valid[name].errors)}`);
  }
  return result;
};

const progress = [];
const onprogress = (told) => progress.push(told.progress);
const pending = checked("ask_user", await call("ask_user", question("Go?"), { onprogress }));
say({ pending: pending.structuredContent, progress });

const { ticket } = pending.structuredContent;
let answered;
do {
  answered = checked("wait_answer", await call("wait_answer", { ticket }));
} while (answered.structuredContent.status === "pending");
say({ answered: answered.structuredContent, text: answered.content[0].text });

const misfit = await call("ask_user", { questions: [{ question: "" }] });
say({ misfit: misfit.isError === true && misfit.content[0].text });

try {
  await call("ask_user", question("Too late?"), { timeout: 500 });
  say({ timedOut: false });
} catch (error) {
  say({ timedOut: /timed out/i.test(error.message), error: error.message });
}
const next = checked("ask_user", await call("ask_user", question("And now?")));
say({ afterTimeout: next.structuredContent.status });

await client.close();
say({ closed: true });
