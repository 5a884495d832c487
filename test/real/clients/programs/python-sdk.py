"""Drives an agent with the official Python SDK. See Task in ../program.ts."""

import asyncio
import json
import os
import sys
from pathlib import Path

from acp import PROTOCOL_VERSION, spawn_agent_process, text_block
from acp.schema import (
    AgentMessageChunk,
    AllowedOutcome,
    ClientCapabilities,
    DeniedOutcome,
    FileSystemCapability,
    ReadTextFileResponse,
    RequestPermissionResponse,
    WriteTextFileResponse,
)

task = json.loads(sys.argv[-1])


class Driver:
    def __init__(self):
        self.step = {}
        self.text = ""
        self.connection = None
        self.session_id = ""

    def on_connect(self, connection):
        self.connection = connection

    async def request_permission(self, options, session_id, tool_call, **_):
        kind = "allow_once" if self.step.get("permission") == "allow" else "reject_once"
        for option in options:
            if option.kind == kind:
                outcome = AllowedOutcome(outcome="selected", option_id=option.option_id)
                return RequestPermissionResponse(outcome=outcome)
        return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))

    async def session_update(self, session_id, update, **_):
        if not isinstance(update, AgentMessageChunk) or update.content.type != "text":
            return
        self.text += update.content.text
        if self.step.get("cancelAt") and self.step["cancelAt"] in self.text:
            self.step = {}
            await self.connection.cancel(session_id=self.session_id)

    async def read_text_file(self, path, session_id, limit=None, line=None, **_):
        return ReadTextFileResponse(content=Path(path).read_text())

    async def write_text_file(self, content, path, session_id, **_):
        Path(path).write_text(content)
        return WriteTextFileResponse()

    async def prompt(self, step):
        self.step = step
        self.text = ""
        answer = await self.connection.prompt(
            session_id=self.session_id, prompt=[text_block(step["text"])]
        )
        # The SDK may deliver the last updates just after the answer.
        await asyncio.sleep(0)
        return {"text": self.text, "stopReason": answer.stop_reason}

    async def do(self, step):
        if step["do"] == "prompt":
            return await self.prompt(step)
        if step["do"] == "open":
            opened = await self.connection.new_session(cwd=task["cwd"], mcp_servers=[])
            self.session_id = opened.session_id
        else:
            self.session_id = step["sessionId"]
            await self.connection.load_session(
                cwd=task["cwd"], session_id=self.session_id, mcp_servers=[]
            )
        return {"sessionId": self.session_id}


async def main():
    driver = Driver()
    spawned = spawn_agent_process(
        driver, task["command"], *task["args"], env=dict(os.environ), cwd=task["cwd"]
    )
    async with spawned as (connection, _):
        driver.connection = connection
        await connection.initialize(
            protocol_version=PROTOCOL_VERSION,
            client_capabilities=ClientCapabilities(
                fs=FileSystemCapability(read_text_file=True, write_text_file=True)
            ),
        )
        for step in task["steps"]:
            print("@@step " + json.dumps(await driver.do(step)), flush=True)


asyncio.run(main())
