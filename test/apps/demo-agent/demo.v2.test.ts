// The demo agent on the draft of ACP v2, with the SDK's client on the other side.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { listedCommands } from "../../../src/apps/demo-agent/commands/index.ts";
import { demoAgent } from "../../../src/apps/demo-agent/agent.ts";
import { openProcess } from "../../../src/entries/wire.ts";
import { demoProgram, withBundle } from "../../agent/pipe.ts";
import { servedOnV2 } from "../../agent/v2/served.ts";
import { codeOf, SdkV2Client, type SdkV2Options } from "../../support/sdk-v2-client.ts";
import { useTempFolder } from "../../support/temp-folder.ts";

withBundle("src/apps/demo-agent/index.ts");

let cwd = "";
useTempFolder((path) => (cwd = path));

const everything: SdkV2Options = {
  capabilities: { elicitation: { form: {}, url: {} } },
  elicitation: () => ({ action: "accept", content: { name: "red" } }),
};

async function open(options: SdkV2Options = everything, requireAuth = false) {
  const client = await servedOnV2(
    demoAgent({ version: "1", exit: () => {}, requireAuth }),
    options,
  );
  return client;
}

const message = "agent_message_chunk";
const rows: [string, string[], RegExp][] = [
  ["/help", [message], /`\/flood \[updates bytes\]`/],
  ["/plan", ["plan_update", message], /That was the plan/],
  ["/think about it", ["agent_thought_chunk", message], /have thought/],
  ["/tool", ["tool_call_update", message], /complete/],
  ["/tool fail", ["tool_call_update", message], /failed/],
  ["/image", [message], /An image/],
  ["/usage 5 10", ["usage_update", message], /5 of 10/],
  ["/slow 3 0", [message], /^1 2 3 $/],
  ["/flood 50 3", [message], /50 xxx\n$/],
  ["/notice error", ["notice", message], /notice/],
  ["/compact", ["compaction_update", "compaction_summary_chunk", message], /compacted/],
  ["/read notes.txt", ["tool_call_update", message], /3 lines and 8 characters.*unsaved/],
  [
    "/edit new.txt hello there",
    ["tool_call_update", "requires_action", "session/request_permission", "running", message],
    /new.txt has one more line.*the disk/,
  ],
  ["/background 0", ["tool_call_update", "running", message], /in the background/],
  ["/later 100000", [message], /will be back/],
  [
    "/report",
    ["tool_call_update", "terminal_update", "terminal_output_chunk", message],
    /terminal/,
  ],
  [
    "/permission",
    ["tool_call_update", "requires_action", "session/request_permission", "running", message],
    /chose once: allowed/,
  ],
  ["/ask", ["requires_action", "elicitation/create", "running", message], /"name": "red"/],
  [
    "/url",
    ["requires_action", "elicitation/create", "running", "elicitation/complete", message],
    /accept/,
  ],
  ["/mode auto", ["config_option_update", message], /now auto/],
  ["/config detail full", ["config_option_update", message], /detail is now full/],
  ["/title A name", [message], /"A name"/],
  ["/commands", ["available_commands_update", message], /new command/],
  ["/mcp", [message], /no MCP servers/],
  ["/client", [message], /"protocolVersion": 2/],
];

describe("the demo agent on v2", () => {
  beforeAll(() => writeFile(join(cwd, "notes.txt"), "one\ntwo\n"));

  it.each(rows)("%s", async (prompt, log, text) => {
    const client = await open();
    const sessionId = await client.newSession({ cwd });
    await client.update(({ sessionUpdate }) => sessionUpdate === "available_commands_update");
    const from = client.frames.length;
    expect((await client.prompt(sessionId, prompt))["stopReason"]).toBe("end_turn");
    const seen = client.log(from).filter((entry) => entry !== "session_info_update");
    expect(seen.slice(0, 3)).toEqual(["user_message", "result", "running"]);
    const between = seen.slice(3, seen.indexOf("idle end_turn"));
    expect(new Set(between)).toEqual(new Set(log));
    expect(client.text(from)).toMatch(text);
  });

  it("every command is tried in this file", () => {
    const tried = [...rows.map(([text]) => text), "/refuse", "/max-tokens", "/max-requests"];
    tried.push("/error", "/crash", "/hang", "/run");
    const names = new Set(tried.map((text) => /^\/([\w-]+)/.exec(text)?.[1]));
    expect(listedCommands(false).filter(({ name }) => !names.has(name))).toEqual([]);
  });

  it.each([
    ["/refuse", { stopReason: "refusal" }],
    ["/max-tokens", { stopReason: "max_tokens" }],
    ["/max-requests", { stopReason: "max_turn_requests" }],
    ["/error -32050", { stopReason: "error", error: { code: -32050, data: { asked: true } } }],
  ])("%s ends the turn", async (prompt, idle) => {
    const client = await open();
    expect(await client.prompt(await client.newSession({ cwd }), prompt)).toMatchObject(idle);
  });

  it("/later works by itself", async () => {
    const client = await open();
    const sessionId = await client.newSession({ cwd });
    await client.prompt(sessionId, "/later 0");
    const own = await client.update(({ content }) => /I am back/.test(JSON.stringify(content)));
    expect(own["messageId"]).toEqual(expect.any(String));
    await client.update(({ state }) => state === "idle", client.frames.length - 1);
  });

  it("/edit shows a patch, and changes the file on disk", async () => {
    const client = await open();
    await client.prompt(await client.newSession({ cwd }), "/edit made.txt line");
    const path = join(cwd, "made.txt");
    expect(client.ofKind("tool_call_update")[0]).toMatchObject({
      content: [
        {
          changes: [{ operation: "add", path }],
          patch: { text: expect.stringContaining("new file mode") as string },
        },
      ],
    });
    expect(await readFile(path, "utf8")).toBe("line\n");
  });

  it.runIf(process.platform === "linux")(
    "/run asks before it runs anything, in any mode",
    async () => {
      const client = await open({
        permission: () => ({ outcome: { outcome: "selected", optionId: "reject_once" } }),
      });
      const sessionId = await client.newSession({ cwd });
      await client.prompt(sessionId, "/mode auto");
      const from = client.frames.length;
      await client.prompt(sessionId, "/run touch never.txt");
      expect(client.log(from)).toContain("session/request_permission");
      expect(client.ofKind("terminal_update", from)).toEqual([]);
      await expect(readFile(join(cwd, "never.txt"))).rejects.toThrow();
    },
  );

  it("needs a sign-in on request, and signs out", async () => {
    const client = await open(everything, true);
    expect(await codeOf(client.newSession({ cwd }))).toBe(-32000);
    await client.call("auth/login", { methodId: "demo" });
    await client.newSession({ cwd });
    await client.call("auth/logout");
    expect(await codeOf(client.newSession({ cwd }))).toBe(-32000);
  });

  it("lists, resumes with its history and deletes sessions", async () => {
    const client = await open();
    const sessionId = await client.newSession({ cwd });
    const messageId = await client.send(sessionId, "/think well");
    await client.idle();
    expect(await client.call("session/list", { cwd })).toMatchObject({ sessions: [{ sessionId }] });
    await client.call("session/close", { sessionId });
    const from = client.frames.length;
    const resume = { sessionId, cwd, replayFrom: { type: "start" } };
    await client.call("session/resume", resume);
    expect(client.ofKind("user_message_chunk", from)).toMatchObject([{ messageId }]);
    expect(client.log(from).slice(-2)).toEqual(["idle", "result"]);
    await client.call("session/delete", { sessionId });
    expect(await codeOf(client.call("session/resume", resume))).toBe(-32002);
  });

  it.runIf(process.platform === "linux")(
    "as a process: runs a command, and is cancelled",
    async () => {
      const channel = await openProcess({ command: process.execPath, args: demoProgram() });
      const client = new SdkV2Client(channel);
      onTestFinished(() => client.close());
      expect(await client.initialize()).toMatchObject({ info: { name: "dragoman-demo" } });
      const sessionId = await client.newSession({ cwd });
      await client.prompt(sessionId, "/run echo hello; exit 4");
      const [terminal] = client.ofKind("terminal_update");
      expect(client.output(terminal?.["terminalId"])).toBe("hello\n");
      expect(client.text()).toContain("code 4");
      const from = client.frames.length;
      await client.send(sessionId, "/hang");
      await client.cancel(sessionId);
      expect((await client.idle(from))["stopReason"]).toBe("cancelled");
    },
  );
});
