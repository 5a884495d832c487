import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { SessionReader } from "../../../src/trace/formats/reader.ts";
import { SessionModel } from "../../../src/trace/model/model.ts";
import { parseFilter, filterFrames } from "../../../src/apps/inspector/frame-search.ts";
import { recorder } from "../../../src/transport/wire/index.ts";
import { times } from "../../support/soak.ts";
import { Script } from "../../apps/inspector/sessions.ts";

setFlagsFromString("--expose-gc");
const collect: unknown = runInNewContext("gc");

/** The memory in use after garbage collection, in bytes. */
function inUse(): { readonly heap: number; readonly buffers: number } {
  if (typeof collect === "function") collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return { heap: heapUsed, buffers: arrayBuffers };
}

const WORDS = "the agent writes about the code that it has changed, in many small pieces ".repeat(
  2,
);

/** A turn of 98 frames, mostly chunks, as in real sessions: 85 % chunks, 385 bytes on average. */
function turn(number: number): Script {
  const script = new Script().wait(number * 1000).prompt(number, `do thing ${number}`);
  for (let chunk = 0; chunk < 84; chunk++) script.wait(3).say(`${WORDS}${chunk}`, `m${number}`);
  for (let call = 0; call < 4; call++) {
    const toolCallId = `call-${number}-${call}`;
    const content = [{ type: "content", content: { type: "text", text: WORDS.repeat(5) } }];
    script.update("tool_call", { toolCallId, title: `Edit ${call}`, kind: "edit" });
    script.wait(5).update("tool_call_update", { toolCallId, status: "in_progress" });
    script.wait(50).update("tool_call_update", { toolCallId, status: "completed", content });
  }
  return script.done(number);
}

describe("a long session", () => {
  it("takes the memory of its bytes and of its columns", () => {
    const turns = times(60, 2050);
    const model = new SessionModel();
    const reader = new SessionReader({
      header: (header) => {
        model.header = header;
      },
      entry: (entry) => void model.append(entry),
    });
    let fileBytes = 0;
    const record = recorder((text) => {
      fileBytes += text.length;
      reader.push(text);
    });
    const before = inUse();
    for (let number = 1; number <= turns; number++)
      for (const entry of turn(number).entries)
        if ("line" in entry) record({ ...entry, at: entry.ms });
    reader.end();
    const after = inUse();
    const { frames } = model;
    expect(frames.count).toBe(98 * turns);
    expect(model.turns).toHaveLength(turns);
    expect(fileBytes / frames.count).toBeGreaterThan(300);
    // Columns take 60 bytes a frame, and up to twice that while they have room to grow.
    const buffers = after.buffers - before.buffers;
    expect(buffers).toBeLessThan(1.05 * frames.lines.bytes + 130 * frames.count + 4_000_000);
    // Objects are kept for turns, tool calls and messages, not for frames.
    expect(after.heap - before.heap).toBeLessThan(8000 * turns + 8_000_000);
    expect(filterFrames(model, parseFilter(`"do thing ${turns}"`))).toHaveLength(1);
  }, 120_000);
});
