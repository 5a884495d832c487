import { join } from "node:path";
import type { AuditEntry, HubEvent } from "../../../host/hub/index.ts";
import {
  asObject,
  joinCommandLine,
  objectField,
  parseJsonObject,
  stringField,
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
} from "../../../transport/wire/index.ts";
import type { RecordingFile } from "../shell/backpressure.ts";
import {
  openRecording,
  recordClose,
  type RecordedRun,
  recordingFolder,
  runRecorder,
} from "./recording.ts";
import { hubEventNote } from "../render/text/hub-events.ts";
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
  const path = await recordingFolder(folder, cwd);
  const time = new Date(now()).toISOString().replaceAll(/[-:]/g, "").replace(/\.\d+/, "");
  return openRecording(join(path, `${time}-${process.pid}.jsonl`), cwd, "--record-dir");
}

/** The recording of a proxy: the lines of its client, and everything that the agent and the rules add. */
export type ProxyRecording = ReturnType<typeof proxyRecording>;

/**
 * The directions are those that the client sees, as in every other recording, so that `dragoman replay` can
 * play the agent's part. The header names the client if its first line does.
 */
export function proxyRecording(files: readonly RecordingFile[], run: Omit<RecordedRun, "client">) {
  let opened: Recorder | undefined;
  const record = (firstLine?: string): Recorder =>
    (opened ??= runRecorder(files, {
      ...run,
      client: firstLine === undefined ? undefined : clientIn(firstLine),
    }));
  const line = (event: TapEvent): void => record(event.line)(event);
  return {
    get isOverloaded() {
      return files.some(({ isOverloaded }) => isOverloaded);
    },
    relieved: async (): Promise<void> => {
      await Promise.all(files.map((file) => file.relieved()));
    },
    /** Records the lines of the client's channel. */
    tapped: (channel: Channel): Channel =>
      tapped(channel, (event) => line({ ...event, direction: opposite(event.direction) })),
    /** Records a line, with the direction that the client sees. */
    line,
    note: (text: string): void => record().note(text),
    agentEnded: (reason: CloseReason): void => recordClose(record(), reason),
    stderr: (text: string): void => record().stderr(text),
    /** Records the end of an agent, and every message of the hub to its user. */
    event: (event: HubEvent): void => {
      if (event.type === "agent_ended") recordClose(record(), event.reason);
      const note = hubEventNote(event, "user");
      if (note !== undefined) record().note(note);
    },
    decision: (entry: AuditEntry): void => record().permission(decisionOf(entry)),
    end: async (): Promise<void> => {
      opened?.flush();
      await Promise.all(files.map((file) => file.end()));
    },
  };
}

function opposite(direction: Direction): Direction {
  return direction === "in" ? "out" : "in";
}

/** The client that an `initialize` names: `clientInfo` in v1, `info` in v2. */
function clientIn(line: string): RecordedClient | undefined {
  const params = asObject(parseJsonObject(line)?.["params"]);
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
