import { ProtocolViolation } from "../../protocol/acp/index.ts";
import {
  asObject,
  booleanField,
  isJsonObject,
  type JsonObject,
  numberField,
  stringField,
} from "../../base/index.ts";

/** The methods of a hub that shares sessions. */
export const ATTACH_METHODS = {
  list: "_dragoman/session/list",
  attach: "_dragoman/session/attach",
  detach: "_dragoman/session/detach",
  /** A notification: a turn that another client started has ended. */
  turnEnded: "_dragoman/session/turn_ended",
} as const;

/**
 * The key of `_meta` with which a hub announces that it shares sessions. A client that sends it in
 * `initialize` only wants to attach, and gets no agent of its own.
 */
export const ATTACH_META = "dragoman/attach";

/** The key of `_meta` with the position of an update in its session. */
export const SEQ_META = "dragoman/seq";

/** The key of `_meta` in the answer to `initialize` with the folder of sessions that name none. */
export const ROOT_META = "dragoman/root";

/** The rights of an attached client. An observer only reads. */
export type SessionRole = "controller" | "observer";

/** A session that a hub shares. */
export interface SharedSessionInfo {
  readonly sessionId: string;
  /** The name of its agent. */
  readonly agent: string;
  /** The folder that it was opened in, as the agent knows it. */
  readonly cwd: string;
  /** The title that the agent gave it last. */
  readonly title: string | undefined;
  /** Whether a turn is running. */
  readonly isBusy: boolean;
  /** How many controllers are attached. */
  readonly controllers: number;
  /** How many observers are attached. */
  readonly observers: number;
  /** When it was used last, in milliseconds since the epoch. */
  readonly usedAt: number;
}

/** The answer to a request to attach. */
export interface AttachResult {
  readonly role: SessionRole;
  /** The position of the newest entry at that moment, and of the oldest that is still known. */
  readonly seq: number;
  readonly first: number;
  readonly isBusy: boolean;
  /** The version of the protocol that the session's agent speaks. */
  readonly protocolVersion: number;
  /** The result of the request that opened the session. */
  readonly opened: JsonObject;
}

/** Reads the list of sessions. Items that are not sessions are left out. Throws ProtocolViolation. */
export function readSharedSessions(result: unknown): readonly SharedSessionInfo[] {
  const { sessions } = asObject(result);
  if (!Array.isArray(sessions)) {
    throw new ProtocolViolation(ATTACH_METHODS.list, "sessions", "an array", sessions);
  }
  return sessions.flatMap((item: unknown) => readSharedSession(item) ?? []);
}

/** Reads one session; undefined if it is not one. Pure. */
export function readSharedSession(item: unknown): SharedSessionInfo | undefined {
  const raw = asObject(item);
  const sessionId = stringField(raw, "sessionId");
  if (sessionId === undefined) return undefined;
  return {
    sessionId,
    agent: stringField(raw, "agent") ?? "",
    cwd: stringField(raw, "cwd") ?? "",
    title: stringField(raw, "title"),
    isBusy: booleanField(raw, "isBusy") ?? false,
    controllers: numberField(raw, "controllers") ?? 0,
    observers: numberField(raw, "observers") ?? 0,
    usedAt: numberField(raw, "usedAt") ?? 0,
  };
}

/** Reads the answer to a request to attach. Throws ProtocolViolation. */
export function readAttachResult(result: unknown): AttachResult {
  if (!isJsonObject(result)) {
    throw new ProtocolViolation(ATTACH_METHODS.attach, "", "an object", result);
  }
  const { role } = result;
  if (role !== "controller" && role !== "observer") {
    throw new ProtocolViolation(ATTACH_METHODS.attach, "role", "controller or observer", role);
  }
  return {
    role,
    seq: numberField(result, "seq") ?? 0,
    first: numberField(result, "first") ?? 1,
    isBusy: booleanField(result, "isBusy") ?? false,
    protocolVersion: numberField(result, "protocolVersion") ?? 1,
    opened: asObject(result["opened"]),
  };
}
