/** What each command of the demo agent sends to a client with every capability and to one with none. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { demoAgent } from "../../../src/apps/demo-agent/agent.ts";
import { listedCommands } from "../../../src/apps/demo-agent/commands/index.ts";
import { RpcError } from "../../../src/transport/rpc/index.ts";
import { EVERYTHING, errorOf, serve, type Answer, type Json } from "../../agent/harness.ts";
import { useTempFolder } from "../../support/temp-folder.ts";

let cwd = "";
useTempFolder((path) => (cwd = path));
beforeAll(() => writeFile(join(cwd, "notes.txt"), "one\ntwo\n"));

const exits: number[] = [];
const agent = () =>
  demoAgent({ version: "1", unstable: true, exit: (code) => void exits.push(code) });

const answers: Record<string, Answer> = {
  "session/request_permission": () => ({
    outcome: { outcome: "selected", optionId: "allow_once" },
  }),
  "fs/read_text_file": async ({ path }) => ({ content: await readFile(String(path), "utf8") }),
  "fs/write_text_file": async ({ path, content }) => {
    await writeFile(String(path), String(content));
    return {};
  },
  "terminal/create": () => ({ terminalId: "t" }),
  "terminal/wait_for_exit": () => ({ exitCode: 0 }),
  "terminal/output": () => ({ output: "hello\n", truncated: false }),
  "terminal/release": () => ({}),
  "mcp/message": ({ method }) =>
    method === "fail" ? { error: { code: -1, message: "no" } } : { result: { tools: [] } },
  "elicitation/create": () => ({ action: "accept", content: { name: "red" } }),
};

const UNSTABLE = { ...EVERYTHING, plan: {}, subagents: {} };

async function open(capabilities: Json = UNSTABLE, more: Record<string, Answer> = {}) {
  const served = await serve(agent(), {
    capabilities,
    answers: { ...answers, ...more },
    version: "unstable",
  });
  const sessionId = await served.client.newSession({
    cwd,
    mcpServers: [
      { type: "http", name: "m", url: "https://m.example", headers: [] },
      { type: "acp", name: "tools", serverId: "id" },
    ],
    systemPrompt: { mode: "override", content: [{ type: "text", text: "Be brief" }] },
  });
  await served.client.waitFor("update available_commands_update");
  served.client.updates.length = 0;
  served.client.log.length = 0;
  return { ...served, sessionId, prompt: (text: string) => served.client.prompt(sessionId, text) };
}

/** Runs a command and returns its stop reason, the agent's messages and its text. */
async function run(text: string, capabilities?: Json, more?: Record<string, Answer>) {
  const { client, prompt } = await open(capabilities, more);
  const stopReason = await prompt(text);
  // The first prompt names the session, which has nothing to do with the command.
  const log = client.log.filter((entry) => entry !== "update session_info_update");
  return {
    stopReason,
    log: [...new Set(log)],
    text: client.text(),
    updates: client.updates,
    client,
  };
}

const message = "update agent_message_chunk";
/** The prompt, the messages of the agent in the order of their first, and its text. */
const rows: [string, string, RegExp][] = [
  ["/help", "message", /`\/flood \[updates bytes\]`/],
  ["/plan", "plan, message", /That was the plan/],
  ["/think about it", "thought, message", /have thought/],
  ["/tool", "tool_call, tool_call_update, message", /complete/],
  ["/tool fail", "tool_call, tool_call_update, message", /failed/],
  ["/image", "message", /An image/],
  ["/usage 5 10", "usage_update, message", /5 of 10/],
  ["/slow 3 0", "message", /^1 2 3 $/],
  ["/flood 50 3", "message", /50 xxx\n$/],
  ["/notice error", "notice, message", /notice/],
  ["/compact", "compaction_update, compaction_summary_chunk, message", /compacted/],
  [
    "/read notes.txt",
    "tool_call, fs/read_text_file, tool_call_update, message",
    /3 lines and 8 characters/,
  ],
  ["/read notes.txt 2 1", "tool_call, fs/read_text_file, tool_call_update, message", /lines/],
  ["/read ../outside", "message", /not in the workspace/],
  ["/read", "message", /Which file/],
  [
    "/edit new.txt hello there",
    "fs/read_text_file, tool_call, session/request_permission, tool_call_update, fs/write_text_file, message",
    /new.txt has one more line/,
  ],
  [
    "/run echo hello",
    "tool_call, session/request_permission, terminal/create, tool_call_update, terminal/wait_for_exit, terminal/output, message, terminal/release",
    /code 0 after 6 characters/,
  ],
  ["/background 100000", "tool_call, message", /in the background/],
  ["/later 100000", "message", /will be back/],
  ["/report", "tool_call, tool_call_update, message", /was the terminal/],
  [
    "/permission",
    "tool_call, session/request_permission, tool_call_update, message",
    /chose allow_once: not allowed/,
  ],
  ["/ask", "elicitation/create, message", /"name": "red"/],
  ["/url", "elicitation/create, elicitation/complete, message", /accept/],
  ["/mode auto", "current_mode_update, message", /now auto/],
  ["/mode", "message", /The mode is ask/],
  ["/config detail full", "config_option_update, message", /detail is now full/],
  ["/config nothing", "config_option_update, message", /quotes true\|false/],
  ["/title A name", "message", /"A name"/],
  ["/commands", "available_commands_update, message", /new command/],
  ["/surprise", "message", /Surprise/],
  ["/mcp", "message", /m: http https:\/\/m.example/],
  ["/client", "message", /"dialect": "canonical"/],
  ["/plans", "plan_update, plan_removed, message", /two plans/],
  [
    "/subagent",
    "subagent_update, session_message, session_message_chunk, tool_call, session/request_permission, tool_call_update, message",
    /has counted/,
  ],
  ["/tokens", "message", /42 tokens/],
  ["/system-prompt", "message", /override\):\s+Be brief/],
  ["/mcp-call tools", "mcp/message, message", /Result: \{"tools":\[\]\}/],
  ["/mcp-call tools fail", "mcp/message, message", /McpError -1: no/],
  ["/mcp-call tools x 7", "message", /not a JSON object/],
  ["/mcp-call nothing", "message", /no MCP server "nothing"/],
];

const brief = (log: readonly string[]): string =>
  log.map((entry) => entry.replace(/^update (?:agent_(\w+)_chunk$)?/, "$1")).join(", ");

describe("with a client that advertises everything", () => {
  it.each(rows)("%s", async (prompt, log, text) => {
    const result = await run(prompt);
    expect(result.stopReason).toBe("end_turn");
    expect(brief(result.log)).toBe(log);
    expect(result.text).toMatch(text);
  });

  it("every listed command is covered in this file and in the docs", async () => {
    const tried = [...rows.map(([text]) => text), "/refuse", "/max-tokens", "/max-requests"];
    tried.push("/error", "/crash", "/hang");
    const names = new Set(tried.map((text) => /^\/([\w-]+)/.exec(text)?.[1]));
    const docs = await readFile(new URL("../../../docs/demo-agent.md", import.meta.url), "utf8");
    for (const { name } of listedCommands(true)) {
      expect(names, `/${name}`).toContain(name);
      expect(docs, `/${name}`).toContain(`\`/${name}`);
    }
  });

  it("an edit shows its diff with the permission request, and is not made if rejected", async () => {
    const asked: Json[] = [];
    const result = await run("/edit notes.txt three", EVERYTHING, {
      "session/request_permission": (params) => {
        asked.push(params);
        return { outcome: { outcome: "selected", optionId: "reject_once" } };
      },
    });
    expect(asked).toMatchObject([
      {
        toolCall: {
          kind: "edit",
          content: [{ type: "diff", oldText: "one\ntwo\n", newText: "one\ntwo\nthree\n" }],
        },
        options: [{}, {}, {}, {}],
      },
    ]);
    expect(result.text).toMatch(/left the file unchanged/);
    expect(await readFile(join(cwd, "notes.txt"), "utf8")).toBe("one\ntwo\n");
  });

  it.each([
    ["/edit refused.txt x", "fs/write_text_file", /could not write refused.txt/],
    ["/run echo hello", "terminal/create", /could not run it/],
  ])(
    "%s fails its tool call, not the turn, if the client refuses",
    async (prompt, method, text) => {
      const result = await run(prompt, EVERYTHING, {
        [method]: () => {
          throw new RpcError(-32603, "not today");
        },
      });
      expect(result.stopReason).toBe("end_turn");
      expect(result.text).toMatch(text);
      const ended = result.updates.filter(
        ({ sessionUpdate }) => sessionUpdate === "tool_call_update",
      );
      expect(ended.at(-1)).toMatchObject({ status: "failed" });
    },
  );

  it("the first line of an edit comes first, even if the client reports a missing file as empty", async () => {
    const asked: Json[] = [];
    await run("/edit absent.txt hello", EVERYTHING, {
      "fs/read_text_file": () => ({ content: "" }),
      "session/request_permission": (params) => {
        asked.push(params);
        return { outcome: { outcome: "selected", optionId: "reject_once" } };
      },
    });
    expect(asked).toMatchObject([{ toolCall: { content: [{ newText: "hello\n" }] } }]);
  });

  it('auto does not ask, read-only denies, and "Always allow" switches to auto', async () => {
    const { client, sessionId, prompt } = await open();
    await client.call("session/set_mode", { sessionId, modeId: "auto" });
    await prompt("/edit auto.txt x");
    expect(client.log).not.toContain("session/request_permission");
    await client.call("session/set_mode", { sessionId, modeId: "read-only" });
    expect(await prompt("/edit auto.txt x")).toBe("refusal");
    expect(await prompt("/run x")).toBe("refusal");
    const always = await run("/edit always.txt x", EVERYTHING, {
      "session/request_permission": () => ({
        outcome: { outcome: "selected", optionId: "allow_always" },
      }),
    });
    expect(always.log).toContain("update current_mode_update");
  });
});

describe("with a client that advertises nothing", () => {
  it.each([
    ["/notice", "session.notices"],
    ["/compact", "session.compaction"],
    ["/run x", "terminal"],
    ["/ask", "elicitation.form"],
    ["/url", "elicitation.url"],
  ])("%s names the missing capability", async (text, capability) => {
    const result = await run(text, {});
    expect(result.stopReason).toBe("end_turn");
    expect(result.text).toContain(`\`${capability}\``);
    expect(result.log).toEqual([message]);
  });

  it("files are read and written on disk", async () => {
    const result = await run("/edit direct.txt x", {});
    expect(result.log).not.toContain("fs/write_text_file");
    expect(await readFile(join(cwd, "direct.txt"), "utf8")).toBe("x\n");
    expect((await run("/read direct.txt", {})).text).toMatch(/2 lines/);
    expect((await run("/read gone.txt", {})).text).toMatch(/could not read/);
  });
});

describe("endings", () => {
  it.each([
    ["/refuse", "refusal"],
    ["/max-tokens", "max_tokens"],
    ["/max-requests", "max_turn_requests"],
  ])("%s ends the turn with the stop reason %s", async (text, stopReason) => {
    expect((await run(text)).stopReason).toBe(stopReason);
  });

  it("/error ends the turn with the requested error code", async () => {
    const { prompt } = await open();
    expect(await errorOf(prompt("/error"))).toMatchObject({ code: -32603, data: { asked: true } });
    expect(await errorOf(prompt("/error -32050"))).toMatchObject({ code: -32050 });
  });

  it("/crash ends the process with an exit code", async () => {
    await run("/crash 9");
    expect(exits).toEqual([9]);
  });

  it("/hang and /slow end when cancelled", async () => {
    const { client, sessionId, prompt } = await open();
    const hanging = prompt("/hang");
    await client.waitFor(message);
    await client.cancel(sessionId);
    expect(await hanging).toBe("cancelled");
    const slow = prompt("/slow 100000 1000");
    await client.cancel(sessionId);
    expect(await slow).toBe("cancelled");
  });
});
