import {
  asObject,
  isJsonObject,
  type JsonObject,
  numberField,
  objectField,
  parseJsonObject,
  stringField,
} from "../../../base/index.ts";
import type { FleetSession } from "../session/record.ts";

/** Where a job works. */
export type JobSource =
  /** A git repository in a root of the workers. */
  | {
      readonly kind: "root";
      /** The folder, as the roots of the workers know it. */
      readonly cwd: string;
      /** The commit, branch or tag. Default: `HEAD`. */
      readonly revision?: string | undefined;
    }
  /** A git repository elsewhere, over `https` or `ssh`. */
  | {
      readonly kind: "git";
      readonly url: string;
      /** The commit, branch or tag. Default: `HEAD`. */
      readonly revision?: string | undefined;
    };

/** The most that a job may use. Cost and tokens are those that the agent reports. */
export interface JobBudget {
  /** In the agent's currency. Default: no limit. */
  readonly cost?: number | undefined;
  /** Default: no limit. */
  readonly tokens?: number | undefined;
  /** Default: no limit. */
  readonly toolCalls?: number | undefined;
}

/** A job to submit. */
export interface NewJob {
  /** Its id, among the jobs of the tenant. The same id is run once. */
  readonly id: string;
  /** The pool whose workers may run it. */
  readonly pool: string;
  readonly agent: string;
  /** Where it works. Each job has a fresh worktree. */
  readonly source: JobSource;
  /** The prompt. */
  readonly prompt: string;
  /** How long all its turns may take together, in milliseconds. Default: no limit. */
  readonly timeoutMs?: number | undefined;
  /**
   * Permission rules, as the text of a rules file. The rules of the worker come first. Without a rule that
   * allows it, everything that needs permission is denied, because no person answers.
   */
  readonly rules?: string | undefined;
  /** A JSON Schema that the answer must match. Default: none. */
  readonly schema?: JsonObject | undefined;
  /** How often the agent may correct an answer that does not match. Default: 2. */
  readonly schemaRetries?: number | undefined;
  /** A job that uses more is cancelled and fails. Default: no limits. */
  readonly budget?: JobBudget | undefined;
}

/**
 * The state of a job. `queued` and `running` become one of the others. `unknown`: its worker died during
 * the turn, so parts of it may have been done; it is not run again.
 */
export type JobState = "queued" | "running" | "done" | "failed" | "cancelled" | "unknown";

/** The changes of a job. */
type JobDiff =
  /** A patch for git. */
  | { readonly text: string }
  /** A patch that is too large for the record. */
  | {
      /** The reference to it among the large values. */
      readonly reference: string;
    };

/** The result of a job. */
export interface JobResult {
  readonly answer: string;
  /** The answer as JSON, if the job has a schema and the answer matches it. */
  readonly value?: unknown;
  /** Why the turn ended; undefined if its outcome is unknown. */
  readonly stopReason: string | undefined;
  /** The usage that the agent reported last; undefined if it reported none. */
  readonly usage: JsonObject | undefined;
  /** The changes; undefined if they are gone with the worker. */
  readonly diff: JobDiff | undefined;
  /** The position of the last entry of the job in the log of its session. */
  readonly position: number;
}

/** A job of a fleet. */
export interface FleetJob extends NewJob {
  /** Who submitted it. */
  readonly tenant: string;
  /** The session whose log has everything that the agent said. */
  readonly session: string;
  /** Its state. */
  readonly state: JobState;
  readonly host: string | undefined;
  readonly result: JobResult | undefined;
  readonly error: string | undefined;
}

export function writeJob(job: FleetJob): string {
  return JSON.stringify(job);
}

/** Pure: reads a job; undefined if the text is not one. */
export function readJob(text: string): FleetJob | undefined {
  return parseJob(asObject(parseJsonObject(text)));
}

/** Pure: a job from a record; undefined if it is not one. */
export function parseJob(raw: JsonObject): FleetJob | undefined {
  const job = readNewJob(raw);
  const state = STATES.find((name) => name === raw["state"]);
  if (!job || !state) return undefined;
  const result = objectField(raw, "result");
  return {
    ...job,
    state,
    tenant: stringField(raw, "tenant") ?? "",
    session: stringField(raw, "session") ?? "",
    host: stringField(raw, "host"),
    error: stringField(raw, "error"),
    result: result && readResult(result),
  };
}

/** Pure: reads a job to submit; undefined if it is not one. */
export function readNewJob(raw: JsonObject): NewJob | undefined {
  const id = stringField(raw, "id");
  const source = readSource(asObject(raw["source"]));
  const prompt = stringField(raw, "prompt");
  if (id === undefined || id === "" || !source || prompt === undefined) return undefined;
  const budget = objectField(raw, "budget");
  return {
    id,
    source,
    prompt,
    pool: stringField(raw, "pool") ?? "",
    agent: stringField(raw, "agent") ?? "",
    timeoutMs: numberField(raw, "timeoutMs"),
    rules: stringField(raw, "rules"),
    schema: objectField(raw, "schema"),
    schemaRetries: numberField(raw, "schemaRetries"),
    budget: budget && {
      cost: numberField(budget, "cost"),
      tokens: numberField(budget, "tokens"),
      toolCalls: numberField(budget, "toolCalls"),
    },
  };
}

const STATES: readonly JobState[] = ["queued", "running", "done", "failed", "cancelled", "unknown"];

function readSource(raw: JsonObject): JobSource | undefined {
  const revision = stringField(raw, "revision");
  const cwd = stringField(raw, "cwd");
  if (raw["kind"] === "root" && cwd !== undefined) return { kind: "root", cwd, revision };
  const url = stringField(raw, "url");
  return raw["kind"] === "git" && url !== undefined ? { kind: "git", url, revision } : undefined;
}

function readResult(raw: JsonObject): JobResult {
  const diff = raw["diff"];
  const text = isJsonObject(diff) ? stringField(diff, "text") : undefined;
  const reference = isJsonObject(diff) ? stringField(diff, "reference") : undefined;
  return {
    answer: stringField(raw, "answer") ?? "",
    value: raw["value"],
    stopReason: stringField(raw, "stopReason"),
    usage: objectField(raw, "usage"),
    diff: text !== undefined ? { text } : reference === undefined ? undefined : { reference },
    position: numberField(raw, "position") ?? 0,
  };
}

/** Pure: the session of the job with this key. */
export function jobSession(key: string): string {
  return `job:${key}`;
}

export function hasEnded({ state }: Pick<FleetJob, "state">): boolean {
  return state !== "queued" && state !== "running";
}

const JOB_PREFIX = /* @__PURE__ */ jobSession("");

/** Pure: whether a session is one of a job, whose folder only its worker knows. */
export function isJobSession({ id }: Pick<FleetSession, "id">): boolean {
  return id.startsWith(JOB_PREFIX);
}
