import { readdirSync, readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import {
  applyUpdate,
  canonicalDialect,
  createSessionState,
  isFinished,
  mergeToolCall,
  paramFaults,
  readEmptyResult,
  readExitResult,
  readFileResult,
  readInitializeResult,
  readNewSessionResult,
  readPermissionResult,
  readPromptResult,
  readSetupResult,
  readTerminalOutputResult,
  readCreateTerminalResult,
  toToolCallPatch,
  toUpdate,
} from "../../../src/protocol/acp/index.ts";

const folder = new URL("../../transcripts/agents/", import.meta.url);

type Frame = Record<string, unknown>;

function isFrame(value: unknown): value is Frame {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function framesOf(file: string): readonly { readonly dir: unknown; readonly msg: Frame }[] {
  return readFileSync(new URL(file, folder), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line))
    .filter(isFrame)
    .flatMap(({ dir, msg }) => (isFrame(msg) ? [{ dir, msg }] : []));
}

const readers = new Map<unknown, (result: unknown) => unknown>([
  ["initialize", readInitializeResult],
  ["session/new", (result) => readNewSessionResult("session/new", result)],
  ["session/load", (result) => readSetupResult("session/load", result)],
  ["session/prompt", readPromptResult],
  ["session/request_permission", readPermissionResult],
  ["fs/read_text_file", readFileResult],
  ["fs/write_text_file", (result) => readEmptyResult("fs/write_text_file", result)],
  ["terminal/create", readCreateTerminalResult],
  ["terminal/output", readTerminalOutputResult],
  ["terminal/wait_for_exit", readExitResult],
  ["terminal/release", (result) => readEmptyResult("terminal/release", result)],
]);

const files = readdirSync(folder).filter((file) => file.endsWith(".jsonl"));

test("there are 36 captures, from six agents", () => {
  expect(files).toHaveLength(36);
});

describe.each(files)("%s", (file) => {
  const frames = framesOf(file);

  test("has only messages that Dragoman understands", () => {
    const dialect = canonicalDialect();
    const state = createSessionState();
    const requested = new Map<string, unknown>();
    let updates = 0;
    for (const { dir, msg } of frames) {
      expect(dialect.read(msg)).toBe(msg);
      const { method, id, params } = msg;
      if (typeof method === "string") {
        expect(paramFaults(method, params), method).toEqual([]);
        requested.set(`${String(dir)} ${String(id)}`, method);
        if (!isFrame(params)) continue;
        const patch = toToolCallPatch(params["toolCall"]);
        if (patch !== undefined) {
          const known = state.toolCalls.get(patch.toolCallId);
          state.toolCalls.set(patch.toolCallId, mergeToolCall(known, patch));
        }
        if (method !== "session/update") continue;
        const update = toUpdate(params["update"]);
        expect(update.type, JSON.stringify(update.raw)).not.toBe("unknown");
        applyUpdate(state, update);
        updates++;
      } else if ("result" in msg) {
        const origin = dir === "a2c" ? "c2a" : "a2c";
        const read = readers.get(requested.get(`${origin} ${String(id)}`));
        expect(read, `a reader for the response to ${String(id)}`).toBeDefined();
        read?.(msg["result"]);
      }
    }
    expect(updates).toBeGreaterThan(0);
    const isFullRun = !file.slice(0, -".jsonl".length).includes(".");
    if (!isFullRun) return;
    expect(state.toolCalls.size).toBeGreaterThan(0);
    for (const call of state.toolCalls.values()) {
      expect(isFinished(call.status), `${call.toolCallId} ${call.title}`).toBe(true);
      expect(call.title).not.toBe("");
    }
  });
});
