import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { importSession, SessionReader } from "../../../src/trace/formats/reader.ts";
import type { ImportLoss } from "../../../src/trace/index.ts";
import { SessionFormatError, type SessionEntry } from "../../../src/trace/formats/format.ts";
import { itemText, readWireLine, type SessionModel } from "../../../src/trace/index.ts";
import { modelOf, modelOfFile, transcript } from "../../apps/inspector/sessions.ts";

const ZED = "captures/zed-1.5.4-claude-code-0.43.0.json";

/** Everything that a model says, without bytes and with or without times. */
function summary(model: SessionModel, isTimed: boolean): unknown {
  const { frames } = model;
  return {
    frames: Array.from({ length: frames.count }, (_, row) => ({
      ms: isTimed ? frames.ms(row) : 0,
      direction: frames.direction(row),
      kind: frames.kind(row),
      method: frames.method(row),
      update: frames.update(row),
      id: frames.id(row),
      pair: frames.pair(row),
      session: frames.session(row),
      turn: frames.turn(row),
      item: frames.item(row),
      message: readWireLine(frames.line(row)).value,
    })),
    lanes: model.lanes,
    sessions: model.sessions,
    turns: model.turns.map(({ startMs, endMs, silence, ...turn }) =>
      isTimed ? { startMs, endMs, silence, ...turn } : turn,
    ),
    items: model.items.map((item) => ({ ...item, text: itemText(model, item) })),
    usage: model.usage.map(({ ms, ...usage }) => (isTimed ? { ms, ...usage } : usage)),
    tools: model.toolCalls.length,
  };
}

const codes = (losses: readonly ImportLoss[]): string => losses.map(({ code }) => code).join(" ");

describe("one session in seven formats", () => {
  it.each([
    ["dragoman-v1.jsonl", "dragoman", ["stderr", "decisions"]],
    ["acp-inspector-trace-v1.jsonl", "acp-inspector", ["stderr", "decisions"]],
    ["agent-frames.jsonl", "agent-frames", ["raw", "stderr", "decisions"]],
    ["conductor.jsons", "conductor", ["raw", "stderr", "decisions"]],
    ["fsharp-inspector.jsonl", "direction-json", ["stderr", "decisions"]],
    ["zed-copy-all.json", "zed", ["times", "errors", "raw", "stderr", "decisions"]],
  ])("%s gives the same model as the original", (name, format, losses) => {
    const model = modelOfFile(`captures/same-session/${name}`);
    const original = modelOfFile(ZED);
    const { isTimed } = model.header;
    expect(model.header.format).toBe(format);
    expect(model.losses.map(({ code }) => code)).toEqual(losses);
    expect(isTimed).toBe(format !== "zed");
    expect(summary(model, isTimed)).toEqual(summary(original, isTimed));
    expect(model.frames.count).toBe(18);
  });

  it("keeps the lines byte for byte where the format has them", () => {
    const original = modelOfFile(ZED);
    for (const name of [
      "dragoman-v1.jsonl",
      "acp-inspector-trace-v1.jsonl",
      "fsharp-inspector.jsonl",
    ]) {
      const model = modelOfFile(`captures/same-session/${name}`);
      for (let row = 0; row < 18; row++)
        expect(model.frames.line(row)).toBe(original.frames.line(row));
    }
  });
});

describe("captures of other programs", () => {
  const folder = new URL("../../transcripts/captures/", import.meta.url);
  const names = readdirSync(folder).filter((name) => /\.json(?:\.gz)?$/.test(name));

  it("are there", () => {
    expect(names).toHaveLength(12);
  });

  it.each(names)("%s opens, and says what it lacks", (name) => {
    const model = modelOfFile(`captures/${name}`);
    expect(model.header).toMatchObject({ format: "acp-devtools", version: 1, isTimed: true });
    expect(model.header.agent?.command.length).toBeGreaterThan(0);
    expect(model.losses).toEqual([
      { code: "stderr", text: "the format has no stderr and no exit of the agent" },
      {
        code: "decisions",
        text: "the format does not say who decided about permissions, and why",
      },
    ]);
    expect(model.lanes[0]?.protocolVersion).toBe(1);
    expect(model.turns.length).toBeGreaterThan(0);
    const { frames } = model;
    for (let row = 0; row < frames.count; row++) expect(frames.kind(row)).not.toBe("noise");
  });

  it("give a whole session with an editor and a real model", () => {
    const model = modelOfFile("captures/goose-1.37.0.json.gz");
    expect(model.frames.count).toBe(571);
    expect(model.turns.map(({ stopReason }) => stopReason)).toEqual(["end_turn", "end_turn"]);
    expect(model.toolCalls).toHaveLength(12);
    expect(model.toolCalls.every(({ status }) => status === "completed")).toBe(true);
    expect(model.items.filter(({ kind }) => kind === "agent").length).toBeLessThan(20);
  });
});

describe("our own captures", () => {
  it.each([
    ["agents/gemini.jsonl", ["raw", "decisions"]],
    ["acp-v2/tool-permission.jsonl", ["times", "raw", "stderr", "decisions"]],
  ])("%s opens", (name, losses) => {
    const model = modelOfFile(name);
    expect(model.losses.map(({ code }) => code)).toEqual(losses);
    expect(model.turns.length).toBeGreaterThan(0);
  });
});

describe("the recordings in examples", () => {
  const example = (name: string) =>
    modelOf(
      importSession(readFileSync(new URL(`../../../examples/recordings/${name}`, import.meta.url))),
    );

  it("open without losses: a turn of Droid with decisions and their reasons", () => {
    const model = example("droid-0.225.2.jsonl");
    expect(model.losses).toEqual([]);
    expect(model.header).toMatchObject({ agent: { name: "droid-acp" }, redacted: true });
    expect(model.toolCalls.map(({ kind, status }) => [kind, status])).toEqual([
      ["read", "completed"],
      ["edit", "completed"],
      ["execute", "failed"],
    ]);
    expect(
      model.permissions.map(({ decision }) => [decision?.outcome, decision?.by, decision?.hint]),
    ).toEqual([
      ["allowed", "flag", undefined],
      ["denied", "default", "--exec"],
    ]);
    expect(model.exit).toMatchObject({ code: 0 });
  });

  it("open without losses: a replay of Gemini that goes on after the answer", () => {
    const { frames, losses } = example("gemini-0.61.0-load.jsonl");
    expect(losses).toEqual([]);
    const rows = Array.from({ length: frames.count }, (_, row) => row);
    const load = rows.find((row) => frames.method(row) === "session/load") ?? -1;
    const replayed = rows.filter((row) => frames.update(row) === "user_message_chunk");
    expect(replayed.some((row) => row > frames.pair(load))).toBe(true);
  });
});

const CALL = '{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s"}}';
const UPDATE = '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s"}}';
const ASK = '{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{}}';
const CHOICE = '{"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"cancelled"}}}';
const END = '{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}';

describe("messages without anything around them", () => {
  const directions = (text: string) =>
    importSession(text).entries.map((entry) => ("line" in entry ? entry.direction : "event"));

  it("get their direction from the methods, and responses from their requests", () => {
    const text = [CALL, UPDATE, ASK, CHOICE, END].join("\n");
    expect(directions(text)).toEqual(["out", "in", "in", "out", "in"]);
    expect(codes(importSession(text).losses)).toBe("times directions stderr decisions");
  });

  it("may begin with the line of dragoman -o jsonl, which names the agent", () => {
    const first =
      '{"jsonrpc":"2.0","method":"client/selected_agent","params":{"name":"demo","command":"d"}}';
    const { header, entries } = importSession(`${first}\n${CALL}\n`);
    expect(header.agent).toEqual({ name: "demo", command: ["d"] });
    expect(entries).toEqual([{ ms: 0, direction: "out", line: CALL }]);
  });

  it("may follow output of another kind", () => {
    const { header, entries, losses } = importSession(`starting\nready\n${CALL}\n${END}\n`);
    expect(header.format).toBe("json-lines");
    expect(entries).toHaveLength(2);
    expect(losses.at(-1)).toMatchObject({ code: "unreadable", count: 2 });
  });
});

describe("formats with details of their own", () => {
  const lines = (text: string) => importSession(text).entries;

  it("acp-inspector: the bridge has no times, several connections and base64", () => {
    const frame = (connection: number, direction: string, encoding: string, text: string) =>
      JSON.stringify({ connection, direction, encoding, frame: text });
    const text = [
      frame(7, "client -> agent", "utf8", CALL),
      frame(7, "agent -> client", "base64", Buffer.from(UPDATE).toString("base64")),
      frame(8, "agent -> client", "utf8", "noise"),
      frame(8, "sideways", "utf8", "noise"),
    ].join("\n");
    expect(lines(text)).toEqual([
      { ms: 0, direction: "out", line: CALL },
      { ms: 0, direction: "in", line: UPDATE },
      { ms: 0, direction: "in", line: "noise", lane: "connection 8" },
    ]);
    expect(codes(importSession(text).losses)).toBe("times stderr decisions unreadable");
  });

  it("acp-inspector: says how many frames were dropped", () => {
    const text = `{"type":"header","format":"acp-inspector-trace","version":1,"dropped":3}\n`;
    expect(importSession(text).losses.at(-1)).toMatchObject({ code: "dropped", count: 3 });
  });

  it("conductor: each pair of neighbors is a lane, and errors are errors", () => {
    const entry = (fields: object) => JSON.stringify({ ts: 1.5, ...fields });
    const text = [
      entry({ type: "request", from: "Client", to: "Proxy(0)", id: null, method: "m", params: {} }),
      entry({ type: "request", from: "Proxy(0)", to: "Agent", id: "1", method: "m", params: {} }),
      entry({
        type: "response",
        from: "Agent",
        to: "Proxy(0)",
        id: "1",
        is_error: true,
        payload: { code: 1, message: "no" },
      }),
      entry({ type: "notification", protocol: "mcp", from: "Agent", to: "Client", method: "n" }),
    ].join("\n");
    expect(lines(text)).toMatchObject([
      { ms: 0, direction: "out", lane: "Client - Proxy(0)" },
      { direction: "out", lane: "Proxy(0) - Agent" },
      {
        direction: "in",
        lane: "Proxy(0) - Agent",
        line: '{"jsonrpc":"2.0","id":"1","error":{"code":1,"message":"no"}}',
      },
      { direction: "in", lane: "Client - Agent (MCP)" },
    ]);
  });

  it.each([
    ["fromClient", "out"],
    ["CLIENT", "out"],
    ["c2a", "out"],
    ["C->A", "out"],
    ["FromAgent", "in"],
    ["agent", "in"],
    ["a2c", "in"],
    ["a -> c", "in"],
  ])("direction-json: %s is %s", (direction, expected) => {
    const text = JSON.stringify({ ts: "2026-01-01T00:00:00Z", direction, json: UPDATE });
    expect(lines(text)).toEqual([{ ms: 0, direction: expected, line: UPDATE }]);
  });

  it("zed: a response with a code and a message is an error", () => {
    const text = JSON.stringify([
      { _direction: "outgoing", _type: "request", id: 1, method: "m", params: {} },
      {
        _direction: "incoming",
        _type: "response",
        id: 1,
        method: "m",
        params: { code: -1, message: "x" },
      },
      { _direction: "incoming", _type: "response", id: 2, method: "m", params: { code: "x" } },
    ]);
    expect(lines(text)).toMatchObject([
      { direction: "out" },
      { direction: "in", line: '{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"x"}}' },
      { direction: "in", line: '{"jsonrpc":"2.0","id":2,"result":{"code":"x"}}' },
    ]);
  });

  it("agent-frames: stderr and the exit are events", () => {
    const text = [
      '{"t":1,"dir":"c2a","msg":{"jsonrpc":"2.0","method":"m"}}',
      '{"t":2,"dir":"stderr","text":"oh"}',
      '{"t":3,"dir":"exit","code":null,"signal":"SIGTERM"}',
    ].join("\n");
    expect(lines(text).slice(1)).toEqual([
      { ms: 2, event: "stderr", text: "oh" },
      { ms: 3, event: "exit", code: null, signal: "SIGTERM" },
    ]);
    expect(codes(importSession(text).losses)).toBe("raw decisions");
  });

  it("agent-shell: Lisp becomes messages", () => {
    const text = String.raw`(((:direction . outgoing) (:kind . request)
       (:object (jsonrpc . "2.0") (id . 1) (method . "session/prompt")
         (params (sessionId . #1="s\"1") (prompt . [((type . "text") (text . "a\nb é"))]) (_meta))))
      ((:direction . incoming) (:kind . response)
       (:object (jsonrpc . "2.0") (id . 1) (result (sessionId . #1#) (ok . t) (cost . 0.25) (no . :false))))
      ((:direction . sideways)))`;
    const { header, entries, losses } = importSession(text);
    expect(header.format).toBe("agent-shell");
    expect(
      entries.map((entry) => ("line" in entry ? (JSON.parse(entry.line) as unknown) : entry)),
    ).toEqual([
      {
        jsonrpc: "2.0",
        id: 1,
        method: "session/prompt",
        params: { sessionId: 's"1', prompt: [{ type: "text", text: "a\nb é" }], _meta: null },
      },
      { jsonrpc: "2.0", id: 1, result: { sessionId: 's"1', ok: true, cost: 0.25, no: false } },
    ]);
    expect(codes(losses)).toBe("times ambiguous raw stderr decisions unreadable");
  });
});

describe("damaged files", () => {
  const header = '{"recording":"dragoman","version":2,"startedAt":"x","redacted":true}';
  const line = '{"ms":1,"direction":"in","line":"x"}';

  it("lose only the line that was cut, and the lines that cannot be read", () => {
    const { entries, losses } = importSession(`${header}\nnoise\n${line}\n{"ms":3}\n{"ms":2,"dir`);
    expect(entries).toEqual([{ ms: 1, direction: "in", line: "x" }]);
    expect(losses).toMatchObject([{ code: "cut" }, { code: "unreadable", count: 2 }]);
  });

  it.each([
    ["", "the file is empty"],
    ["\n\n", "the file is empty"],
    ["hello\nworld\n", "is not a recording"],
    ['{"a":1}', "is not a recording"],
    ["[]", "is not a recording"],
    [header.replace("2", "9"), "version 9"],
    ["(((:direction . incoming", "the Lisp text ends too early, at character 25"],
    [`(((:direction . ${"(".repeat(2000)}`, "nested too deeply"],
  ])("%j is refused with a reason", (text, message) => {
    const read = (): unknown => importSession(text);
    expect(read).toThrow(SessionFormatError);
    expect(read).toThrow(message);
  });
});

describe("reading in pieces", () => {
  const names = [
    "captures/same-session/dragoman-v1.jsonl",
    "captures/same-session/conductor.jsons",
    "captures/same-session/zed-copy-all.json",
    ZED,
  ];
  it.each(names)("%s reads the same in any chunks", (name) => {
    const bytes = transcript(name);
    const whole = importSession(bytes);
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 9000 }), { maxLength: 12 }), (sizes) => {
        const entries: SessionEntry[] = [];
        let header: unknown;
        const reader = new SessionReader({
          header: (first) => (header = first),
          entry: (entry) => entries.push(entry),
        });
        let rest = bytes;
        for (const size of sizes) {
          reader.push(rest.subarray(0, size));
          rest = rest.subarray(size);
        }
        reader.push(rest);
        expect({ losses: reader.end(), header, entries }).toEqual(whole);
      }),
      { numRuns: 25 },
    );
    expect(modelOf(whole).frames.count).toBe(18);
  });
});
