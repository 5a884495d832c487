import { describe, expect, it } from "vitest";
import { contentLeft, recordingLines } from "../../../../src/apps/inspector/export/recording.ts";
import { importSession } from "../../../../src/trace/formats/reader.ts";
import { parseRecording } from "../../../../src/transport/wire/index.ts";
import { modelOf, modelOfFile, Script } from "../sessions.ts";
import { entryRedactor } from "../../../../src/apps/inspector/entry-redactor.ts";

const TOKEN = `ghp_${"a1".repeat(18)}`;

describe("an exported recording", () => {
  it("reads back as the same session, events included", () => {
    const { model } = new Script()
      .open()
      .event({ ms: 0, event: "stderr", text: "hello\n" })
      .prompt(2)
      .event({ ms: 0, event: "note", text: "n" })
      .event({ ms: 0, event: "unknown", raw: { ms: 0, event: "sparkle" } })
      .done(2)
      .event({ ms: 1, event: "exit", code: 0, signal: null });
    const text = [...recordingLines(model)].join("");
    const { entries } = importSession(text);
    expect(entries.map((entry) => ("line" in entry ? "frame" : entry.event))).toEqual([
      "frame",
      "frame",
      "frame",
      "frame",
      "stderr",
      "frame",
      "note",
      "unknown",
      "frame",
      "exit",
    ]);
    expect([...recordingLines(modelOf(importSession(text)))].slice(1).join("")).toBe(
      text.slice(text.indexOf("\n") + 1),
    );
  });

  it.each([
    "captures/same-session/zed-copy-all.json",
    "captures/same-session/conductor.jsons",
    "agents/gemini.jsonl",
  ])("can be made of %s", (name) => {
    const model = modelOfFile(name);
    const { header, lines } = parseRecording([...recordingLines(model)].join(""));
    expect(header).toMatchObject({
      version: 2,
      agent: expect.any(Object) as object,
    });
    expect(lines).toHaveLength(model.frames.count);
  });

  it("keeps the secrets that a redactor of its entries hides and counts", () => {
    const script = new Script()
      .open()
      .out({ id: 5, method: "x", params: { apiKey: "hush", env: [{ name: "A", value: "hush" }] } })
      .say(`the token is ${TOKEN}`)
      .say("see https://h.example/?api_key=hush#code=hush")
      .event({ ms: 0, event: "stderr", text: `password=hush ${TOKEN}\n` })
      .event({
        ms: 0,
        event: "permission",
        what: "curl -u token=hush",
        outcome: "denied",
        by: "x",
      });
    const redactor = entryRedactor();
    const clean = script.entries.map((entry) => redactor.entry(entry));
    expect(JSON.stringify(clean)).not.toMatch(/hush|a1a1/);
    expect(redactor.hidden).toBe(8);
    const kept = [...recordingLines(script.model)].join("");
    expect(kept).toContain(TOKEN);
    expect(parseRecording(kept).header.redacted).toBe(false);
  });

  it("may have only some frames", () => {
    const { model } = new Script()
      .open()
      .prompt(2)
      .done(2)
      .event({ ms: 0, event: "note", text: "n" });
    const { lines, events } = parseRecording([...recordingLines(model, [4, 5])].join(""));
    expect(lines.map(({ line }) => line)).toEqual([model.frames.line(4), model.frames.line(5)]);
    expect(events).toEqual([]);
  });

  it("has only the first of several connections", () => {
    const entry = (lane: string | undefined) => ({
      ms: 0,
      direction: "in" as const,
      line: "{}",
      lane,
    });
    const entries = [entry("a"), entry("b"), entry("a")];
    const model = modelOf({ header: { format: "conductor", isTimed: true }, entries, losses: [] });
    expect(parseRecording([...recordingLines(model)].join("")).lines).toHaveLength(2);
  });
});

describe("the content that is left", () => {
  it("is counted by kind", () => {
    const { model } = new Script()
      .open()
      .prompt(2)
      .say("a")
      .update("tool_call", { toolCallId: "t" })
      .in({ id: 5, method: "fs/read_text_file", params: { sessionId: "s" } })
      .event({ ms: 0, event: "stderr", text: "a\nb\n" });
    expect(contentLeft(model)).toEqual([
      [1, "prompt"],
      [1, "message"],
      [1, "tool call"],
      [1, "file request"],
      [2, "stderr line"],
    ]);
  });
});
