import { join } from "node:path";
import type { AuditEntry, HubEvent, AgentEndCause } from "../../../host/hub/index.ts";
import {
  asObject,
  joinCommandLine,
  objectField,
  parseFrame,
  stringField,
  messageOf,
} from "../../../base/index.ts";
import {
  type Channel,
  type CloseReason,
  type Direction,
  type RecordedClient,
  type RecordedDecision,
  type Recorder,
  type TapEvent,
  tapped,
  describeClose,
} from "../../../transport/wire/index.ts";
import type { PacedOutput, RecordingFile } from "../shell/backpressure.ts";
import {
  openRecording,
  recordEnd,
  type RecordedRun,
  recordFolder,
  runRecorder,
} from "./recording.ts";
import type { Io } from "../shell/io.ts";

/**
 * Opens a file for the recording of this run in the folder of `--record-dir`, which is created if it is
 * missing. Throws a usage error if that fails.
 */
export async function openRunRecording(
  folder: string | undefined,
  { cwd, now }: Pick<Io, "cwd" | "now">,
): Promise<RecordingFile | undefined> {
  if (folder === undefined) return undefined;
  const path = await recordFolder(folder, cwd);
  const time = new Date(now()).toISOString().replaceAll(/[-:]/g, "").replace(/\.\d+/, "");
  return openRecording(join(path, `${time}-${process.pid}.jsonl`), cwd, "--record-dir");
}

/** The recording of a proxy: the lines of its client, and everything that the agent and the rules add. */
export interface ProxyRecording extends PacedOutput {
  /** Records the lines of the client's channel. */
  tapped(channel: Channel): Channel;
  /** Records a line, with the direction that the client sees. */
  line(event: TapEvent): void;
  note(text: string): void;
  agentEnded(reason: CloseReason): void;
  stderr(text: string): void;
  /** Records the end of an agent, and every message of the hub to its user. */
  event(event: HubEvent): void;
  decision(entry: AuditEntry): void;
  end(): Promise<void>;
}

/**
 * The directions are those that the client sees, as in every other recording, so that `dragoman replay` can
 * play the agent's part. The header names the client if its first line does.
 */
export function proxyRecording(
  file: RecordingFile,
  run: Omit<RecordedRun, "client">,
): ProxyRecording {
  let opened: Recorder | undefined;
  const record = (firstLine?: string): Recorder =>
    (opened ??= runRecorder(file, {
      ...run,
      client: firstLine === undefined ? undefined : clientIn(firstLine),
    }));
  const line = (event: TapEvent): void => record(event.line)(event);
  return {
    get isOverloaded() {
      return file.isOverloaded;
    },
    relieved: () => file.relieved(),
    tapped: (channel) =>
      tapped(channel, (event) => line({ ...event, direction: opposite(event.direction) })),
    line,
    note: (text) => record().note(text),
    agentEnded: (reason) => recordEnd(record(), reason),
    stderr: (text) => record().stderr(text),
    event: (event) => {
      if (event.type === "agent_ended") recordEnd(record(), event.reason);
      const note = noteOf(event);
      if (note !== undefined) record().note(note);
    },
    decision: (entry) => record().permission(decisionOf(entry)),
    end: async () => {
      opened?.flush();
      await file.end();
    },
  };
}

/** Recordings that get the same: the file of `--record-dir` and the page of `--inspect`. */
export function joinRecordings(all: readonly ProxyRecording[]): ProxyRecording | undefined {
  const [first, ...more] = all;
  if (!first || more.length === 0) return first;
  return {
    get isOverloaded() {
      return all.some(({ isOverloaded }) => isOverloaded);
    },
    relieved: async () => {
      await Promise.all(all.map((each) => each.relieved()));
    },
    tapped: (channel) => all.reduce((inner, each) => each.tapped(inner), channel),
    line: (event) => all.forEach((each) => each.line(event)),
    note: (text) => all.forEach((each) => each.note(text)),
    agentEnded: (reason) => all.forEach((each) => each.agentEnded(reason)),
    stderr: (text) => all.forEach((each) => each.stderr(text)),
    event: (event) => all.forEach((each) => each.event(event)),
    decision: (entry) => all.forEach((each) => each.decision(entry)),
    end: async () => {
      await Promise.all(all.map((each) => each.end()));
    },
  };
}

function opposite(direction: Direction): Direction {
  return direction === "in" ? "out" : "in";
}

/** The client that an `initialize` names: `clientInfo` in v1, `info` in v2. */
function clientIn(line: string): RecordedClient | undefined {
  const params = asObject(parseFrame(line)?.["params"]);
  const info = objectField(params, "clientInfo") ?? objectField(params, "info");
  const name = info && stringField(info, "name");
  return name === undefined ? undefined : { name, version: info && stringField(info, "version") };
}

const OUTCOMES = { allow: "allowed", deny: "denied", cancel: "cancelled" } as const;

/** A decision of the rules or of the client, in the form of a recording. Pure. */
export function decisionOf({ method, kind, targets, decision, by }: AuditEntry): RecordedDecision {
  const { paths, commands } = targets;
  const subjects = [
    ...paths.map(({ path }) => path),
    ...commands.map(({ line, words }) => line ?? joinCommandLine(words ?? [])),
  ];
  return {
    what: [method, ...subjects].join(" "),
    kind,
    outcome: OUTCOMES[decision],
    by: by.type,
    hint: by.type === "rule" ? `rule ${by.rule} of ${by.file}` : undefined,
  };
}

const CAUSES: Readonly<Record<AgentEndCause, string | undefined>> = {
  died: undefined,
  ignored_cancel: "was ended because it did not end a cancelled turn",
  unresponsive: "was ended because it did not answer",
  flooded: "was ended because it sent too much that is not a message",
  idle: "was ended because it was idle",
  closed: undefined,
};

/** A note for people about an event of the hub; undefined if the event needs none. Pure. */
export function noteOf(event: HubEvent): string | undefined {
  switch (event.type) {
    case "agent_ended": {
      const { agent, cause, reason } = event;
      if (cause === "died") return `${agent}: ${describeClose(reason)}; ${AGAIN}`;
      const why = CAUSES[cause];
      return why === undefined ? undefined : `${agent} ${why}; ${AGAIN}`;
    }
    case "agent_started":
      return event.starts > 1 ? `${event.agent} was started again` : undefined;
    case "agent_start_failed": {
      const { agent, error, retryMs } = event;
      if (retryMs === undefined) return undefined;
      const wait = `the next attempt is in ${Math.ceil(retryMs / 1000)} s at the earliest`;
      return `could not start ${agent}: ${messageOf(error)}; ${wait}`;
    }
    case "session_lost":
      return `could not open the session ${event.sessionId} again: ${event.message}`;
    case "refused":
      return `refused ${event.method}: ${event.message}`;
    case "answered":
    case "client_attached":
    case "client_connected":
    case "client_left":
    case "session_closed":
    case "session_opened":
    case "session_reopened":
    case "turn_ended":
    case "turn_started":
      return undefined;
  }
}

const AGAIN = "it is started again with the next request";
