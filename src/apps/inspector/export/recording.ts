import { RECORDING_VERSION, type RecordingEntry } from "../../../transport/wire/index.ts";
import { partiesOf } from "../compare.ts";
import type { SessionModel } from "../../../trace/index.ts";
import type { entryRedactor } from "../entry-redactor.ts";

/**
 * A session as a recording of version 2, line by line, each with its newline: all of it, or without its events
 * the frames of these rows. Secrets stay. A recording has one connection, so of a capture with several only the
 * first is exported.
 */
export function* recordingLines(
  model: SessionModel,
  rows?: readonly number[],
): Generator<string, void, undefined> {
  yield `${JSON.stringify(headerOf(model))}\n`;
  for (const entry of rows ? framesOf(model, rows) : entriesOf(model))
    // An event of a newer version is written as it was read.
    yield `${JSON.stringify("event" in entry && entry.event === "unknown" ? entry.raw : entry)}\n`;
}

function headerOf(model: SessionModel): object {
  const { header } = model;
  const { agent, client } = partiesOf(model);
  return {
    recording: "dragoman",
    version: RECORDING_VERSION,
    startedAt: header.startedAt ?? new Date(0).toISOString(),
    redacted: header.redacted === true,
    agent: header.agent ?? (agent && { name: agent.name, command: [] }),
    client: header.client ?? client,
    cwd: header.cwd,
  };
}

/** Frames and events in their order. */
function* entriesOf(model: SessionModel): Generator<RecordingEntry, void, undefined> {
  const { frames, eventCount } = model;
  let event = 0;
  for (let row = 0; row <= frames.count; row++) {
    for (; event < eventCount; event++) {
      const { entry, before } = model.event(event);
      if (before > row) break;
      yield entry;
    }
    if (row < frames.count) yield* framesOf(model, [row]);
  }
}

function* framesOf(
  { frames, lanes }: SessionModel,
  rows: readonly number[],
): Generator<RecordingEntry, void, undefined> {
  const lane = lanes[0]?.name ?? "";
  for (const row of rows) {
    if (frames.lane(row) !== lane) continue;
    yield { ms: frames.ms(row), direction: frames.direction(row), line: frames.line(row) };
  }
}

/**
 * The content that the removal of secrets leaves in place, for people to look at before they share a recording:
 * how many there are of each kind, and its noun.
 */
export function contentLeft(
  model: SessionModel,
): readonly (readonly [count: number, noun: string])[] {
  const { frames, items, toolCalls, terminals } = model;
  const itemsOf = (...kinds: readonly string[]): number =>
    items.filter(({ kind }) => kinds.includes(kind)).length;
  let files = 0;
  for (let row = 0; row < frames.count; row++)
    if (frames.kind(row) === "request" && frames.method(row).startsWith("fs/")) files++;
  let stderrLines = 0;
  for (let number = 0; number < model.eventCount; number++) {
    const { entry } = model.event(number);
    if (entry.event === "stderr") stderrLines += entry.text.trimEnd().split("\n").length;
  }
  const kinds: readonly (readonly [number, string])[] = [
    [itemsOf("prompt"), "prompt"],
    [itemsOf("agent", "user"), "message"],
    [itemsOf("thought"), "thought"],
    [toolCalls.length, "tool call"],
    [files, "file request"],
    [terminals.length, "terminal"],
    [stderrLines, "stderr line"],
  ];
  return kinds.filter(([count]) => count > 0);
}

/** Removes secrets from entries and counts them. An entry without any stays the same object. */
export type EntryRedactor = ReturnType<typeof entryRedactor>;
