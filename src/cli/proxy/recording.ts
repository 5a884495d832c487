import { join } from "node:path";
import type { AuditEntry, HubEvent } from "../../hub/index.ts";
import {
  asObject,
  type Channel,
  joinCommandLine,
  objectField,
  parseFrame,
  type RecordedClient,
  type RecordedDecision,
  type Recorder,
  stringField,
  tapped,
} from "../../wire/index.ts";
import type { PacedOutput } from "../connect/paced-channel.ts";
import {
  openRecording,
  recordEnd,
  recordFolder,
  type RecordedRun,
  type RecordingFile,
  runRecorder,
} from "../connect/recording.ts";
import type { Io } from "../io.ts";
import { noteOf } from "./notes.ts";

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
  /** Gets the agent's stderr. */
  stderr(text: string): void;
  /** Records the end of an agent and everything that the user is told. */
  event(event: HubEvent): void;
  /** Records a decision. */
  decision(entry: AuditEntry): void;
  /** Closes the file. */
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
  return {
    get isOverloaded() {
      return file.isOverloaded;
    },
    relieved: () => file.relieved(),
    tapped: (channel) =>
      tapped(channel, (event) =>
        record(event.line)({ ...event, direction: event.direction === "in" ? "out" : "in" }),
      ),
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
