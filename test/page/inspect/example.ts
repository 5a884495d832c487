// A session with everything that the page shows: two turns, tools, permissions with reasons, a rule that is
// broken, stderr, an idle time, usage, and text that tries to do harm.
import type { RecordingEntry } from "../../../src/transport/wire/index.ts";

/** Text that would do something if it were HTML, a link, or a control sequence. */
export const EVIL = `<img src=x onerror="window.evil=1"><script>window.evil=1</script>`;
const EVIL_LINK = "[a link](javascript:window.evil=1) and [another](https://example.com/)";
const BIDI = "user\u202Etxt.exe";

const OPTIONS = [
  { optionId: "once", name: "Allow once", kind: "allow_once" },
  { optionId: "always", name: "Always allow", kind: "allow_always" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];

const OLD_FILE = `import { parse } from "./parse.ts";

/** Reads a file. */
export function read(path: string): string {
  const text = load(path);
  return parse(text);
}

export const LIMIT = 100;
`;
const NEW_FILE = OLD_FILE.replace(
  "  const text = load(path);\n",
  '  if (path === "") throw new Error("no path");\n  const text = load(path, { limit: LIMIT });\n',
);

const ANSWER = `The tests fail because \`read\` does not check its argument. I **fixed** that:

1. \`read\` throws for an empty path.
2. The limit is passed on.

| File | Change |
| --- | --- |
| src/read.ts | +2 −1 |

\`\`\`ts
read(""); // throws
\`\`\`

> The other tests pass. See https://example.com/docs.
`;

/** Writes entries one after the other, with a clock. */
class ExampleWriter {
  readonly entries: RecordingEntry[] = [];
  ms = 0;

  wait(ms: number): this {
    this.ms += ms;
    return this;
  }

  out(message: object): this {
    return this.#line("out", message);
  }

  in(message: object): this {
    return this.#line("in", message);
  }

  update(sessionUpdate: string, fields: object): this {
    const params = { sessionId: "sess-1", update: { sessionUpdate, ...fields } };
    return this.in({ method: "session/update", params });
  }

  /** A message in pieces of a few characters. */
  say(sessionUpdate: string, text: string, everyMs = 30): this {
    for (const piece of text.match(/[^]{1,18}/gu) ?? [])
      this.wait(everyMs).update(sessionUpdate, { content: { type: "text", text: piece } });
    return this;
  }

  event(event: object): this {
    this.entries.push({ ms: this.ms, ...event } as RecordingEntry);
    return this;
  }

  noise(line: string): this {
    this.entries.push({ ms: this.ms, direction: "in", line });
    return this;
  }

  #line(direction: "in" | "out", message: object): this {
    const line = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.entries.push({ ms: this.ms, direction, line });
    return this;
  }
}

/** The header of the example. */
export const EXAMPLE_HEADER = {
  recording: "dragoman",
  version: 2,
  startedAt: "2026-01-01T10:00:00.000Z",
  redacted: true,
  agent: { name: "example-agent", command: ["example-agent", "--acp"] },
  client: { name: "dragoman", version: "0.1.0" },
  cwd: "/home/user/project",
} as const;

/** The entries of the example. `isOther` makes a second, slightly different session to compare with. */
export function exampleEntries(isOther = false): readonly RecordingEntry[] {
  const writer = new ExampleWriter();
  openSession(writer, isOther);
  firstTurn(writer, isOther);
  writer.wait(isOther ? 3000 : 42_000);
  secondTurn(writer);
  if (!isOther) lastTurn(writer);
  writer.wait(300).event({ event: "stderr", text: "example-agent: bye\n" });
  writer.wait(20).event({ event: "exit", code: isOther ? 0 : 1, signal: null });
  return writer.entries;
}

/** The example as the text of a recording. */
export function exampleText(isOther = false): string {
  return [EXAMPLE_HEADER, ...exampleEntries(isOther)]
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join("");
}

function openSession(writer: ExampleWriter, isOther: boolean): void {
  writer
    .event({
      event: "stderr",
      text: "\u001B[33mwarning:\u001B[0m no configuration, using defaults\n",
    })
    .wait(12)
    .out({
      id: 0,
      method: "initialize",
      params: {
        protocolVersion: 1,
        clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
        clientInfo: { name: "Editor", version: "3.2.1" },
      },
    })
    .wait(85)
    .in({
      id: 0,
      result: {
        protocolVersion: 1,
        agentCapabilities: {
          loadSession: !isOther,
          promptCapabilities: { image: true, embeddedContext: true },
        },
        agentInfo: { name: "Example Agent", version: isOther ? "1.3.0" : "1.4.0" },
        authMethods: [],
      },
    })
    .wait(9)
    .noise("Debugger listening on port 9229")
    .out({
      id: 1,
      method: "session/new",
      params: { cwd: "/home/user/project", mcpServers: [] },
    })
    .wait(120)
    .in({ id: 1, result: { sessionId: "sess-1" } })
    .wait(3)
    .update("available_commands_update", {
      availableCommands: [{ name: "review", description: "Review the changes" }],
    });
}

function ask(writer: ExampleWriter, id: number, toolCallId: string): ExampleWriter {
  const params = { sessionId: "sess-1", toolCall: { toolCallId }, options: OPTIONS };
  return writer.in({ id, method: "session/request_permission", params });
}

function choose(writer: ExampleWriter, id: number, optionId: string): ExampleWriter {
  return writer.out({ id, result: { outcome: { outcome: "selected", optionId } } });
}

function firstTurn(writer: ExampleWriter, isOther: boolean): void {
  const prompt = [{ type: "text", text: "The tests of `read` fail. Find out why and fix it." }];
  writer
    .wait(800)
    .out({ id: 2, method: "session/prompt", params: { sessionId: "sess-1", prompt } })
    .wait(640)
    .say("agent_thought_chunk", "I should look at the tests first, and then at the function.")
    .wait(100)
    .update("plan", {
      entries: [
        { content: "Run the tests", priority: "high", status: "in_progress" },
        { content: "Fix the function", priority: "high", status: "pending" },
      ],
    })
    .wait(40)
    .update("tool_call", {
      toolCallId: "run-1",
      title: "npm test -- read",
      kind: "execute",
      status: "pending",
      rawInput: { command: "npm", args: ["test", "--", "read"] },
    });
  ask(writer.wait(20), 10, "run-1");
  writer.wait(2100).event({
    event: "permission",
    toolCallId: "run-1",
    what: "npm test -- read",
    kind: "execute",
    outcome: "allowed",
    optionId: "once",
    by: "user",
  });
  choose(writer, 10, "once");
  runTests(writer);
  writer.wait(250).say("agent_message_chunk", "The test with an empty path fails. ");
  if (!isOther) readFile(writer);
  editFile(writer);
  writer
    .wait(60)
    .update("plan", {
      entries: [
        { content: "Run the tests", priority: "high", status: "completed" },
        { content: "Fix the function", priority: "high", status: "completed" },
      ],
    })
    .say("agent_message_chunk", ANSWER, 22)
    .wait(30)
    .update("usage_update", {
      used: 18_400,
      size: 200_000,
      cost: { amount: 0.042, currency: "USD" },
    })
    .wait(10)
    .in({
      id: 2,
      result: {
        stopReason: "end_turn",
        usage: { totalTokens: 19_100, inputTokens: 17_900, outputTokens: 1200 },
      },
    });
}

function runTests(writer: ExampleWriter): void {
  const output =
    "\u001B[1m> vitest run read\u001B[0m\n\n \u001B[31m✗\u001B[0m read > refuses an empty path\n \u001B[32m✓\u001B[0m read > reads a file\n\n Tests  \u001B[31m1 failed\u001B[0m | \u001B[32m1 passed\u001B[0m (2)\n";
  writer
    .wait(5)
    .update("tool_call_update", { toolCallId: "run-1", status: "in_progress" })
    .wait(4)
    .in({
      id: 11,
      method: "terminal/create",
      params: {
        sessionId: "sess-1",
        command: "npm",
        args: ["test", "--", "read"],
        cwd: "/home/user/project",
      },
    })
    .wait(18)
    .out({ id: 11, result: { terminalId: "term-1" } })
    .wait(3)
    .update("tool_call_update", {
      toolCallId: "run-1",
      content: [{ type: "terminal", terminalId: "term-1" }],
    })
    .in({
      id: 12,
      method: "terminal/wait_for_exit",
      params: { sessionId: "sess-1", terminalId: "term-1" },
    })
    .wait(1480)
    .out({ id: 12, result: { exitCode: 1, signal: null } })
    .in({
      id: 13,
      method: "terminal/output",
      params: { sessionId: "sess-1", terminalId: "term-1" },
    })
    .wait(4)
    .out({
      id: 13,
      result: { output, truncated: false, exitStatus: { exitCode: 1, signal: null } },
    })
    .in({
      id: 14,
      method: "terminal/release",
      params: { sessionId: "sess-1", terminalId: "term-1" },
    })
    .wait(2)
    .out({ id: 14, result: {} })
    .update("tool_call_update", { toolCallId: "run-1", status: "failed" });
}

function readFile(writer: ExampleWriter): void {
  writer
    .wait(180)
    .update("tool_call", {
      toolCallId: "read-1",
      title: "Read src/read.ts",
      kind: "read",
      status: "in_progress",
      locations: [{ path: "/home/user/project/src/read.ts", line: 4 }],
    })
    .in({
      id: 15,
      method: "fs/read_text_file",
      params: { sessionId: "sess-1", path: "/home/user/project/src/read.ts" },
    })
    .wait(7)
    .out({ id: 15, result: { content: OLD_FILE } })
    .wait(4)
    .update("tool_call_update", {
      toolCallId: "read-1",
      status: "completed",
      content: [{ type: "content", content: { type: "text", text: OLD_FILE } }],
    });
}

function editFile(writer: ExampleWriter): void {
  writer.wait(400).update("tool_call", {
    toolCallId: "edit-1",
    title: "Edit src/read.ts",
    kind: "edit",
    status: "pending",
    locations: [{ path: "/home/user/project/src/read.ts" }],
    content: [
      {
        type: "diff",
        path: "/home/user/project/src/read.ts",
        oldText: OLD_FILE,
        newText: NEW_FILE,
      },
    ],
  });
  ask(writer.wait(15), 16, "edit-1");
  writer.wait(3).event({
    event: "permission",
    toolCallId: "edit-1",
    what: "edit src/read.ts",
    kind: "edit",
    outcome: "allowed",
    optionId: "always",
    by: "rule",
    hint: "rule 2 of .dragoman/rules.json",
  });
  choose(writer, 16, "always");
  writer
    .wait(5)
    .update("tool_call_update", { toolCallId: "edit-1", status: "in_progress" })
    .in({
      id: 17,
      method: "fs/write_text_file",
      params: { sessionId: "sess-1", path: "/home/user/project/src/read.ts", content: NEW_FILE },
    })
    .wait(9)
    .out({ id: 17, result: null })
    .update("tool_call_update", { toolCallId: "edit-1", status: "completed" });
}

function secondTurn(writer: ExampleWriter): void {
  const prompt = [
    { type: "text", text: `Now delete ${BIDI}. ${EVIL}` },
    { type: "resource_link", name: "notes.md", uri: "file:///home/user/project/notes.md" },
  ];
  writer.out({ id: 3, method: "session/prompt", params: { sessionId: "sess-1", prompt } });
  writer
    .wait(380)
    .say("agent_message_chunk", `Deleting. ${EVIL_LINK} ${EVIL}`)
    .update("tool_call", {
      toolCallId: "rm-1",
      title: `rm ${BIDI} ${EVIL}`,
      kind: "delete",
      status: "pending",
      rawInput: { command: `rm ${BIDI}` },
    });
  ask(writer.wait(12), 18, "rm-1");
  writer.wait(6).event({
    event: "permission",
    toolCallId: "rm-1",
    what: "rm user.txt",
    kind: "delete",
    outcome: "denied",
    optionId: "no",
    by: "flag",
    hint: "--deny delete",
  });
  choose(writer, 18, "no");
  writer
    .wait(20)
    .update("tool_call_update", {
      toolCallId: "rm-1",
      status: "failed",
      content: [
        { type: "content", content: { type: "text", text: "The user rejected this call." } },
      ],
    })
    .wait(240)
    .say("agent_message_chunk", "I may not delete files here.")
    .wait(20)
    .in({ id: 3, result: { stopReason: "end_turn" } })
    .wait(15)
    // After the answer, although the turn is over.
    .update("agent_message_chunk", { content: { type: "text", text: " Anything else?" } })
    .update("usage_update", {
      used: 19_700,
      size: 200_000,
      cost: { amount: 0.051, currency: "USD" },
    });
}

function lastTurn(writer: ExampleWriter): void {
  const prompt = [{ type: "text", text: "Run everything again." }];
  writer
    .wait(900)
    .event({ event: "stderr", text: "\u001B[31merror:\u001B[0m connection reset by peer\n" })
    .out({ id: 4, method: "session/prompt", params: { sessionId: "sess-1", prompt } })
    .wait(210)
    .in({ id: 4, error: { code: -32603, message: "the model did not answer" } })
    .wait(50)
    .out({ id: 5, method: "session/prompt", params: { sessionId: "sess-1", prompt } })
    .wait(700)
    .in({ id: 5, result: { stopReason: "end_turn" } });
}
