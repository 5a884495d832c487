import { RECORDING_VERSION, type RecordingEntry } from "../../../transport/wire/index.ts";
import { partiesOf } from "../compare/setup.ts";
import type { SessionModel } from "../../../trace/index.ts";
import { type EntryRedactor, entryRedactor } from "./redaction.ts";

/** Options of {@link exportRecording}. */
export interface ExportOptions {
  /** The rows to export, in order. Default: all. With rows, events are left out. */
  readonly rows?: readonly number[] | undefined;
  /** Removes secrets; its count then says how many. `false` keeps them. Default: a new one. */
  readonly redactor?: EntryRedactor | false | undefined;
}

/**
 * A session as a recording of version 2, line by line, each with its newline. A recording has one connection,
 * so of a capture with several only the first is exported.
 */
export function* exportRecording(
  model: SessionModel,
  options: ExportOptions = {},
): Generator<string, void, undefined> {
  const { rows, redactor = entryRedactor() } = options;
  if (redactor === false) yield* recordingLines(model, rows);
  else yield* recordingLines(model, rows, (entry) => redactor.entry(entry));
}

/**
 * The same without the removal of secrets, or with one of one's own. The header says that secrets were removed
 * if that of the session does, or if there is such a function.
 */
export function* recordingLines(
  model: SessionModel,
  rows?: readonly number[],
  clean?: (entry: RecordingEntry) => RecordingEntry,
): Generator<string, void, undefined> {
  yield `${JSON.stringify(headerOf(model, clean !== undefined))}\n`;
  for (const entry of rows ? framesOf(model, rows) : entriesOf(model))
    yield `${JSON.stringify(asWritten(clean ? clean(entry) : entry))}\n`;
}

/** An event of a newer version is written as it was read. */
function asWritten(entry: RecordingEntry): object {
  return "event" in entry && entry.event === "unknown" ? entry.raw : entry;
}

function headerOf(model: SessionModel, isRedacted: boolean): object {
  const { header } = model;
  const { agent, client } = partiesOf(model);
  return {
    recording: "dragoman",
    version: RECORDING_VERSION,
    startedAt: header.startedAt ?? new Date(0).toISOString(),
    redacted: isRedacted || header.redacted === true,
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

/** Which content a session holds that the removal of secrets leaves in place. */
export interface ContentLeft {
  readonly prompts: number;
  readonly messages: number;
  readonly thoughts: number;
  readonly toolCalls: number;
  /** Files that the agent read or wrote through the client. */
  readonly files: number;
  readonly terminals: number;
  readonly stderrLines: number;
}

/** Counts the content that people should look at before they share a recording. */
export function contentLeft(model: SessionModel): ContentLeft {
  const { frames, items } = model;
  const count = (kind: string): number => items.filter((item) => item.kind === kind).length;
  let files = 0;
  for (let row = 0; row < frames.count; row++)
    if (frames.kind(row) === "request" && frames.method(row).startsWith("fs/")) files++;
  let stderrLines = 0;
  for (let number = 0; number < model.eventCount; number++) {
    const { entry } = model.event(number);
    if (entry.event === "stderr") stderrLines += entry.text.trimEnd().split("\n").length;
  }
  return {
    prompts: count("prompt"),
    messages: count("agent") + count("user"),
    thoughts: count("thought"),
    toolCalls: model.toolCalls.length,
    files,
    terminals: model.terminals.length,
    stderrLines,
  };
}
