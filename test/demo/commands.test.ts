/** Every command of the demo agent: what it sends, with a client that offers everything and with one that offers nothing. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { demoAgent } from "../../src/demo/agent.ts";
import { OFFERED } from "../../src/demo/commands/index.ts";
import { EVERYTHING, refusal, serve, type Answer, type Json } from "../agent/harness.ts";

let cwd = "";
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "dragoman-demo-"));
  await writeFile(join(cwd, "notes.txt"), "one\ntwo\n");
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

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
  "elicitation/create": () => ({ action: "accept", content: { name: "red" } }),
};

async function open(capabilities: Json = EVERYTHING, more: Record<string, Answer> = {}) {
  const served = await serve(agent(), {
    capabilities,
    answers: { ...answers, ...more },
    version: "unstable",
  });
  const sessionId = await served.client.newSession({
    cwd,
    mcpServers: [{ type: "http", name: "m", url: "https://m.example", headers: [] }],
  });
  await served.client.seen("update available_commands_update");
  served.client.updates.length = 0;
  served.client.log.length = 0;
  return { ...served, sessionId, say: (text: string) => served.client.prompt(sessionId, text) };
}

/** What is seen of a command: stop reason, what it sent and asked, what it said. */
async function run(text: string, capabilities?: Json, more?: Record<string, Answer>) {
  const { client, say } = await open(capabilities, more);
  const stopReason = await say(text);
  // The first prompt names the session, which is not the command's doing.
  const log = client.log.filter((entry) => entry !== "update session_info_update");
  return {
    stopReason,
    log: [...new Set(log)],
    said: client.text(),
    updates: client.updates,
    client,
  };
}

const message = "update agent_message_chunk";
const rows: [string, string[], RegExp][] = [
  ["/help", [message], /`\/flood \[updates bytes\]`/],
  ["/plan", ["update plan", message], /That was the plan/],
  ["/think about it", ["update agent_thought_chunk", message], /have thought/],
  ["/tool", ["update tool_call", "update tool_call_update", message], /complete/],
  ["/tool fail", ["update tool_call", "update tool_call_update", message], /failed/],
  ["/image", [message], /An image/],
  ["/usage 5 10", ["update usage_update", message], /5 of 10/],
  ["/slow 3 0", [message], /^1 2 3 $/],
  ["/flood 50 3", [message], /50 xxx\n$/],
  ["/notice error", ["update notice", message], /notice/],
  [
    "/compact",
    ["update compaction_update", "update compaction_summary_chunk", message],
    /compacted/,
  ],
  [
    "/read notes.txt",
    ["update tool_call", "fs/read_text_file", "update tool_call_update", message],
    /3 lines and 8 characters/,
  ],
  [
    "/read notes.txt 2 1",
    ["update tool_call", "fs/read_text_file", "update tool_call_update", message],
    /lines/,
  ],
  ["/read ../outside", [message], /not in the workspace/],
  ["/read", [message], /Which file/],
  [
    "/edit new.txt hello there",
    [
      "fs/read_text_file",
      "update tool_call",
      "session/request_permission",
      "update tool_call_update",
      "fs/write_text_file",
      message,
    ],
    /new.txt has one more line/,
  ],
  [
    "/run echo hello",
    [
      "update tool_call",
      "session/request_permission",
      "terminal/create",
      "update tool_call_update",
      "terminal/wait_for_exit",
      "terminal/output",
      message,
      "terminal/release",
    ],
    /code 0 after 6 characters/,
  ],
  [
    "/permission",
    ["update tool_call", "session/request_permission", "update tool_call_update", message],
    /chose allow_once: not allowed/,
  ],
  ["/ask", ["elicitation/create", message], /"name": "red"/],
  ["/url", ["elicitation/create", "elicitation/complete", message], /accept/],
  ["/mode auto", ["update current_mode_update", message], /auto now/],
  ["/mode", [message], /The mode is ask/],
  ["/config detail full", ["update config_option_update", message], /detail is full/],
  ["/config nothing", ["update config_option_update", message], /quotes true\|false/],
  ["/title A name", [message], /"A name"/],
  ["/commands", ["update available_commands_update", message], /new command/],
  ["/surprise", [message], /Surprise/],
  ["/mcp", [message], /m: http https:\/\/m.example/],
  ["/client", [message], /"dialect": "canonical"/],
];

describe("with a client that offers everything", () => {
  it.each(rows)("%s", async (text, log, said) => {
    const seen = await run(text);
    expect(seen.stopReason).toBe("end_turn");
    expect(seen.log).toEqual(log);
    expect(seen.said).toMatch(said);
  });

  it("every command on offer stands in this file, and in the docs", async () => {
    const tried = [...rows.map(([text]) => text), "/refuse", "/max-tokens", "/max-requests"];
    tried.push("/error", "/crash", "/hang");
    const names = new Set(tried.map((text) => /^\/([\w-]+)/.exec(text)?.[1]));
    const docs = await readFile(new URL("../../docs/demo-agent.md", import.meta.url), "utf8");
    for (const { name } of OFFERED) {
      expect(names, `/${name}`).toContain(name);
      expect(docs, `/${name}`).toContain(`\`/${name}`);
    }
  });

  it("edits show what will change before they ask, and do not happen when refused", async () => {
    const asked: Json[] = [];
    const seen = await run("/edit notes.txt three", EVERYTHING, {
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
    expect(seen.said).toMatch(/leave it as it is/);
    expect(await readFile(join(cwd, "notes.txt"), "utf8")).toBe("one\ntwo\n");
  });

  it("modes mean something: auto does not ask, read-only refuses, always changes the mode", async () => {
    const { client, sessionId, say } = await open();
    await client.call("session/set_mode", { sessionId, modeId: "auto" });
    await say("/edit auto.txt x");
    expect(client.log).not.toContain("session/request_permission");
    await client.call("session/set_mode", { sessionId, modeId: "read-only" });
    expect(await say("/edit auto.txt x")).toBe("refusal");
    expect(await say("/run x")).toBe("refusal");
    const always = await run("/edit always.txt x", EVERYTHING, {
      "session/request_permission": () => ({
        outcome: { outcome: "selected", optionId: "allow_always" },
      }),
    });
    expect(always.log).toContain("update current_mode_update");
  });
});

describe("with a client that offers nothing", () => {
  it.each([
    ["/notice", "session.notices"],
    ["/compact", "session.compaction"],
    ["/run x", "terminal"],
    ["/ask", "elicitation.form"],
    ["/url", "elicitation.url"],
  ])("%s says what is missing", async (text, capability) => {
    const seen = await run(text, {});
    expect(seen.stopReason).toBe("end_turn");
    expect(seen.said).toContain(`\`${capability}\``);
    expect(seen.log).toEqual([message]);
  });

  it("files are read and written directly", async () => {
    const seen = await run("/edit direct.txt x", {});
    expect(seen.log).not.toContain("fs/write_text_file");
    expect(await readFile(join(cwd, "direct.txt"), "utf8")).toBe("x\n");
    expect((await run("/read direct.txt", {})).said).toMatch(/2 lines/);
    expect((await run("/read gone.txt", {})).said).toMatch(/cannot read/);
  });
});

describe("ends", () => {
  it.each([
    ["/refuse", "refusal"],
    ["/max-tokens", "max_tokens"],
    ["/max-requests", "max_turn_requests"],
  ])("%s", async (text, stopReason) => {
    expect((await run(text)).stopReason).toBe(stopReason);
  });

  it("an error has the code that was asked for", async () => {
    const { say } = await open();
    expect(await refusal(say("/error"))).toMatchObject({ code: -32603, data: { asked: true } });
    expect(await refusal(say("/error -32050"))).toMatchObject({ code: -32050 });
  });

  it("a crash ends the process with a code", async () => {
    await run("/crash 9");
    expect(exits).toEqual([9]);
  });

  it("what hangs is cancelled", async () => {
    const { client, sessionId, say } = await open();
    const hanging = say("/hang");
    await client.seen(message);
    await client.cancel(sessionId);
    expect(await hanging).toBe("cancelled");
    const slow = say("/slow 100000 1000");
    await client.cancel(sessionId);
    expect(await slow).toBe("cancelled");
  });
});

describe("sessions", () => {
  it("are named by their first prompt, forked, and kept in a folder if one is given", async () => {
    const stateFolder = join(cwd, "state");
    const options = { version: "1", unstable: true, stateFolder, exit: () => {} };
    const first = await serve(demoAgent(options), { version: "unstable" });
    const sessionId = await first.client.newSession({ cwd });
    await first.client.prompt(sessionId, "/think well");
    const forked = await first.client.call("session/fork", { sessionId, cwd });
    expect(forked["sessionId"]).not.toBe(sessionId);
    await first.client.peer.close();
    await first.served;

    const second = await serve(demoAgent(options), { version: "unstable" });
    const { sessions } = await second.client.call("session/list", { cwd });
    expect(sessions).toContainEqual(
      expect.objectContaining({ sessionId, cwd, title: "/think well" }),
    );
    await second.client.call("session/load", { sessionId, cwd, mcpServers: [] });
    expect(second.client.text("agent_thought_chunk")).toBe("well ");
    expect(second.client.text("user_message_chunk")).toBe("/think well");
    await second.client.call("session/delete", { sessionId });
    await second.client.peer.close();
    await second.served;

    const third = await serve(demoAgent(options), { version: "unstable" });
    const load = third.client.call("session/load", { sessionId, cwd, mcpServers: [] });
    expect(await refusal(load)).toMatchObject({ code: -32002 });
  });

  it("forget the oldest part of a history that grows too long", async () => {
    const { client, sessionId, say } = await open();
    for (let i = 0; i < 4; i++) await say("/flood 10 900000");
    client.updates.length = 0;
    await client.call("session/load", { sessionId, cwd, mcpServers: [] });
    const size = JSON.stringify(client.updates).length;
    expect(size).toBeGreaterThan(4_000_000);
    expect(size).toBeLessThan(18_000_000);
  });
});
