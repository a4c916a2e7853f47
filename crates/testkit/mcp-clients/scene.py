"""Drives `handraise mcp` with the official SDK for Python, as any program would, and says on standard
output what came of it, line by line. Told by its argument:

  mode     how to agree on a revision: "legacy", "auto" or "2026-07-28"
  command  the server and its arguments
  env      its environment
"""

import json
import sys

import anyio
import jsonschema
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types import Implementation

told = json.loads(sys.argv[1])


def say(**line):
    print(json.dumps(line), flush=True)


def question(text):
    options = [{"label": 'yes, "really"'}, {"label": "no"}]
    return {"questions": [{"question": text, "options": options}], "why": "It is asked for by a test."}


async def main():
    command, *args = told["command"]
    server = StdioServerParameters(command=command, args=args, env=told["env"])
    info = Implementation(name="scene", version="1")
    async with Client(server, mode=told["mode"], client_info=info) as client:
        name = client.server_info.name if client.server_info else None
        say(connected=name, protocol=client.protocol_version)

        tools = (await client.list_tools()).tools
        schemas = {}
        for tool in tools:
            jsonschema.Draft202012Validator.check_schema(tool.input_schema)
            jsonschema.Draft202012Validator.check_schema(tool.output_schema)
            schemas[tool.name] = tool.output_schema
        say(tools=[tool.name for tool in tools])

        async def call(name, arguments, **options):
            result = await client.call_tool(name, arguments, **options)
            if not result.is_error:
                jsonschema.validate(result.structured_content, schemas[name])
            return result

        progress = []

        async def on_progress(done, total, message):
            progress.append(done)

        pending = await call("ask_user", question("Go?"), progress_callback=on_progress)
        say(pending=pending.structured_content, progress=progress)

        ticket = pending.structured_content["ticket"]
        while True:
            answered = await call("wait_answer", {"ticket": ticket})
            if answered.structured_content["status"] != "pending":
                break
        say(answered=answered.structured_content, text=answered.content[0].text)

        misfit = await call("ask_user", {"questions": [{"question": ""}]})
        say(misfit=misfit.is_error and misfit.content[0].text)

        try:
            await call("ask_user", question("Too late?"), read_timeout_seconds=0.5)
            say(timedOut=False)
        except MCPError as error:
            say(timedOut="timed out" in str(error).lower(), error=str(error))
        next = await call("ask_user", question("And now?"))
        say(afterTimeout=next.structured_content["status"])
    say(closed=True)


anyio.run(main)
