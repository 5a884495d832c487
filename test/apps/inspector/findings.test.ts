import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Finding, findingsJson, SessionFindings } from "../../../src/apps/inspector/index.ts";
import { importSession } from "../../../src/trace/formats/reader.ts";
import type { SessionEntry } from "../../../src/trace/index.ts";
import { Script, transcript } from "./sessions.ts";

function judged(entries: readonly SessionEntry[]): SessionFindings {
  const findings = new SessionFindings();
  for (const entry of entries) findings.add(entry);
  findings.finish();
  return findings;
}

const found = (script: Script): readonly Finding[] => judged(script.entries).list;
const brief = ({ rule, severity, side, frames }: Finding) =>
  `${severity} ${rule} of the ${side}: ${frames.join(", ")}`;

const example = (name: string): readonly SessionEntry[] =>
  importSession(readFileSync(new URL(`../../../examples/recordings/${name}`, import.meta.url)))
    .entries;

/** The handshake with capabilities of both sides. */
function open(clientCapabilities: object = {}, agentCapabilities: object = {}): Script {
  const info = { name: "x", version: "1" };
  return new Script()
    .out({
      id: 0,
      method: "initialize",
      params: { protocolVersion: 1, clientCapabilities, clientInfo: info },
    })
    .in({ id: 0, result: { protocolVersion: 1, agentCapabilities, agentInfo: info } })
    .out({ id: 1, method: "session/new", params: { cwd: "/project", mcpServers: [] } })
    .in({ id: 1, result: { sessionId: "s" } });
}

const cancel = { method: "session/cancel", params: { sessionId: "s" } };
const user = { content: { type: "text", text: "hi" } };
const load = {
  method: "session/load",
  params: { sessionId: "s", cwd: "/project", mcpServers: [] },
};
const resume = { method: "session/resume", params: { sessionId: "s", cwd: "/project" } };
const call = (status: string) => ({ toolCallId: "t", title: "T", kind: "edit", status });
const image = { type: "image", data: "", mimeType: "image/png" };
const create = { sessionId: "s", command: "ls" };

describe("the findings of a session", () => {
  it("are none for a correct one", () => {
    const script = open().prompt(2).say("a").update("tool_call", call("pending"));
    script.ask(5, "t").choose(5, "once").update("tool_call_update", call("completed")).done(2);
    expect(found(script)).toEqual([]);
  });

  const handshake = { id: 0, method: "initialize", params: { protocolVersion: "2025-06-18" } };
  it.each([
    ["from its beginning", handshake],
    ["from its middle", { id: 7, method: "tools/list" }],
  ])("are none for a connection with an MCP server, captured %s", (_, first) => {
    const script = new Script()
      .out(first)
      .in({ id: first.id, result: { tools: [] } })
      .out({ id: 8, method: "tools/call", params: { name: "x" } });
    expect(found(script)).toEqual([]);
  });

  it.each([
    [
      "an update after the response",
      open().prompt(2).done(2).say("late"),
      "note DRA-PROMPT-03 of the agent: 6, 7",
    ],
    [
      "an update after the response of a cancelled turn",
      open().prompt(2).out(cancel).done(2, "cancelled").say("late").say("later"),
      "error ACP-CANCEL-002 of the agent: 7, 8, 9",
    ],
    [
      "a cancelled turn that ends otherwise",
      open().prompt(2).out(cancel).done(2),
      "error ACP-CANCEL-001 of the agent: 6, 7",
    ],
    [
      "a cancelled turn that ends with an error",
      open()
        .prompt(2)
        .out(cancel)
        .in({ id: 2, error: { code: -32603, message: "aborted" } }),
      "error ACP-CANCEL-001 of the agent: 6, 7",
    ],
    [
      "a tool call that is left open",
      open().prompt(2).update("tool_call", call("in_progress")).done(2),
      "note DRA-TOOL-05 of the agent: 6, 7",
    ],
    [
      "a replay after the response of session/load",
      open({}, { loadSession: true })
        .out({ id: 2, ...load })
        .in({ id: 2, result: {} })
        .update("user_message_chunk", user)
        .say("old"),
      "error ACP-LOAD-002 of the agent: 5, 6, 7, 8",
    ],
    [
      "the rest of a replay in the next turn",
      open({}, { loadSession: true })
        .out({ id: 2, ...load })
        .in({ id: 2, result: {} })
        .prompt(3)
        .update("user_message_chunk", user)
        .done(3),
      "error ACP-LOAD-002 of the agent: 5, 6, 8",
    ],
    [
      "a replay in session/resume",
      open({}, { sessionCapabilities: { resume: {} } })
        .out({ id: 2, ...resume })
        .update("user_message_chunk", user)
        .in({ id: 2, result: {} }),
      "error ACP-RESUME-002 of the agent: 5, 6",
    ],
    [
      "a file that the client does not offer",
      open()
        .prompt(2)
        .in({ id: 5, method: "fs/read_text_file", params: { sessionId: "s", path: "/a" } })
        .out({ id: 5, error: { code: -32601, message: "no" } })
        .done(2),
      "error ACP-CLIENTCAP-001 of the agent: 6",
    ],
    [
      "a terminal that is not released",
      open({ terminal: true })
        .prompt(2)
        .in({ id: 5, method: "terminal/create", params: create })
        .out({ id: 5, result: { terminalId: "x" } })
        .done(2),
      "note DRA-TERM-01 of the agent: 6",
    ],
    ["a prompt without a response", open().prompt(2), "note DRA-RPC-01 of the agent: 5"],
    [
      "a permission request without a response",
      open().prompt(2).update("tool_call", call("completed")).ask(5, "t").done(2),
      "note DRC-RPC-03 of the client: 7",
    ],
    [
      "a session method that the agent does not offer",
      open()
        .out({ id: 2, ...load })
        .in({ id: 2, error: { code: -32601, message: "no" } }),
      "error DRC-SES-02 of the client: 5",
    ],
    [
      "an image that the agent does not offer to take",
      open()
        .out({ id: 2, method: "session/prompt", params: { sessionId: "s", prompt: [image] } })
        .done(2),
      "error DRC-PRM-01 of the client: 5",
    ],
    [
      "an option that was not offered",
      open().prompt(2).update("tool_call", call("completed")).ask(5, "t").choose(5, "yes").done(2),
      "error DRC-PERM-01 of the client: 7, 8",
    ],
    [
      "a permission after a cancel that is not answered as cancelled",
      open()
        .prompt(2)
        .update("tool_call", call("completed"))
        .ask(5, "t")
        .out(cancel)
        .choose(5, "once")
        .done(2, "cancelled"),
      "error DRC-PERM-05 of the client: 7, 8, 9",
    ],
  ])("name %s", (_, script, finding) => {
    expect(found(script).map(brief)).toEqual([finding]);
  });

  it("name a client that speaks before initialize, but not a capture that begins in the middle", () => {
    const early = new Script().out({ id: 9, method: "session/list", params: {} });
    early.in({ id: 9, result: { sessions: [] } });
    const late = open();
    const entries = [...early.entries, ...late.entries];
    expect(judged(entries).list.map(brief)).toContain("error DRC-INIT-01 of the client: 1, 3");
    const rules = judged(early.entries).list.map(({ rule }) => rule);
    expect(rules).not.toContain("DRC-INIT-01");
  });

  it("include those of the schema, and lines that are not messages", () => {
    const script = open().prompt(2).update("tool_call", { toolCallId: 7 });
    const entries: readonly SessionEntry[] = [
      ...script.entries,
      { ms: 0, direction: "in", line: "Loading..." },
      ...new Script().done(2).entries,
    ];
    const rules = judged(entries).list.map(({ rule, side, frames }) => [rule, side, frames]);
    expect(rules).toContainEqual(["ACP-SCHEMA-001", "agent", [6]]);
    expect(rules).toContainEqual(["ACP-TRANSPORT-001", "agent", [7]]);
  });

  it("name the requirement, its source and what happened, as JSON too", () => {
    const list = found(open().prompt(2).out(cancel).done(2));
    expect(list).toMatchObject([
      {
        requirement:
          "A cancelled prompt is answered with the stop reason cancelled, not with an error.",
        source: "prompt-turn#cancellation",
        message: "the cancelled turn ended with end_turn",
      },
    ]);
    expect(JSON.parse(findingsJson(list))).toEqual({ v: 1, findings: list });
  });

  it.each(["tools", "cancel", "permission-cancel", "resume", "error"])(
    "are none for a real v2 agent: %s",
    (name) => {
      const { entries } = importSession(transcript(`acp-v2/real-claude-0.99.1-${name}.jsonl`));
      const { list } = judged(entries);
      expect(list.filter(({ severity }) => severity === "error")).toEqual([]);
    },
  );

  it("of a v2 session follow its own rules", () => {
    const script = new Script()
      .open(2)
      .prompt(2)
      .in({ id: 2, result: { messageId: "u" } });
    script.out(cancel).update("state_update", { state: "idle", stopReason: "end_turn" });
    expect(found(script).map(({ rule }) => rule)).toContain("ACP-CANCEL-201");
  });
});

describe("the findings of the examples", () => {
  it("are none for Droid", () => {
    expect(judged(example("droid-0.225.2.jsonl")).list).toEqual([]);
  });

  it("show Gemini's replay after the answer", () => {
    const { model, list } = judged(example("gemini-0.61.0-load.jsonl"));
    const replay = list.find(({ rule }) => rule === "ACP-LOAD-002");
    expect(replay).toMatchObject({
      severity: "error",
      side: "agent",
      message: "the replay went on after session/load was answered",
    });
    const [request = 0, response = 0, ...late] = replay?.frames ?? [];
    expect(model.frames.pair(request - 1)).toBe(response - 1);
    expect(late.length).toBeGreaterThan(1);
  });
});

it("collects the descriptions of the fields of each kind of frame", () => {
  const script = new Script().open().prompt(2).say("a").done(2);
  const { fields } = judged([...script.entries, { ms: 0, direction: "in", line: "noise" }]);
  expect(fields["session/update notification agent_message_chunk"]).toMatchObject({
    ".method": "The method to call.",
    ".params.update.content": expect.any(String),
  });
  expect(fields["session/prompt response "]).toMatchObject({
    ".result.stopReason": expect.any(String),
  });
});
