import type { ToolKind } from "../../../protocol/acp/index.ts";
import type { PermissionTargets, TargetCommand, TargetPath } from "../../../client/index.ts";
import { type JsonObject, redactText, redactValue, sanitiseJson } from "../../../base/index.ts";

/** A decision about a request of an agent. */
export interface AuditEntry {
  /** The name of the agent. */
  readonly agent: string;
  /** Who the session belongs to. */
  readonly owner: string;
  /** The session that the request names, or an empty text. */
  readonly session: string;
  /** The method of the agent's request. */
  readonly method: string;
  /** The kind that the request was judged by. */
  readonly kind: ToolKind;
  /** The paths and commands that the request is about, as far as they are known. */
  readonly targets: PermissionTargets;
  /** `cancel`: the request was withdrawn, or its question was left open. */
  readonly decision: "allow" | "deny" | "cancel";
  /** Who decided. */
  readonly by: AuditSource;
}

/** Who decided about a request. */
export type AuditSource =
  /** A rule, by its number in the file. */
  | {
      readonly type: "rule";
      /** The number of the rule. */
      readonly rule: number;
      /** The name of the file. */
      readonly file: string;
    }
  /** A client, by its name, if the hub knows it. */
  | {
      readonly type: "client";
      /** The owner of the client. */
      readonly client: string | undefined;
    }
  /** A client chose earlier to decide all requests of this kind in this session in the same way. */
  | { readonly type: "remembered" }
  /** No client was attached who could decide. */
  | { readonly type: "unattended" }
  /** The path is outside the session's folders, or cannot be used. */
  | { readonly type: "roots" }
  /** No rule matched, and reading inside the session's folders is allowed. */
  | { readonly type: "default" }
  /** The turn was cancelled, the agent withdrew the request, or the session ended. */
  | { readonly type: "cancelled" }
  /** The request is not valid: two options have the same id, or no rule can judge it. */
  | { readonly type: "invalid" };

/** Pure: the line of an entry in the audit log, without secrets, contents and characters that act on a terminal. */
export function auditLine(entry: AuditEntry, time: Date): string {
  const { agent, owner, session, method, kind, decision, by } = entry;
  const { paths, commands, isComplete } = entry.targets;
  const clean = redactValue({
    time: time.toISOString(),
    agent: readable(agent),
    owner: readable(owner),
    session: readable(session),
    method: readable(method),
    kind,
    targets: {
      ...(paths.length > 0 ? { paths: paths.map(shownPath) } : {}),
      ...(commands.length > 0 ? { commands: commands.map(shownCommand) } : {}),
      ...(isComplete ? {} : { more: true }),
    },
    decision,
    by,
  });
  return shortLine(clean);
}

/** Pure: the line of something that is not a decision, without secrets. */
export function noteLine(type: string, fields: JsonObject, time: Date): string {
  return shortLine(redactValue({ time: time.toISOString(), type, ...fields }));
}

/** Cuts long texts after the redaction, which may not know a part of a secret. */
function shortLine(clean: unknown): string {
  const shown = (_: string, value: unknown): unknown =>
    typeof value === "string" ? cut(value, SHOWN_CHARACTERS) : value;
  return sanitiseJson(JSON.stringify(clean, shown));
}

/** The real path too, if it is another one. */
function shownPath({ path, realPath }: TargetPath): string | JsonObject {
  if (realPath === undefined || realPath === path) return readable(path);
  return { path: readable(path), realPath: readable(realPath) };
}

/** The names of the variables, but never their values. */
function shownCommand({ line, words, cwd, env }: TargetCommand): JsonObject {
  const names = Object.keys(env).slice(0, SHOWN_WORDS);
  return {
    ...(words
      ? { command: words.slice(0, SHOWN_WORDS).map(readable) }
      : { line: redactText(readable(line ?? "")) }),
    cwd: shownPath(cwd),
    ...(names.length > 0 ? { variables: names.map(readable) } : {}),
  };
}

/** An agent may send megabytes. */
const SHOWN_CHARACTERS = 1000;
const SHOWN_WORDS = 100;
const READ_CHARACTERS = 64 * 1024;

function readable(text: string): string {
  return cut(text, READ_CHARACTERS);
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
