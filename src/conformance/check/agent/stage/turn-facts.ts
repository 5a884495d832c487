import { access } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { type JsonObject, objectsField, stringField, within } from "../../../../base/index.ts";
import type { SubjectLink, UpdateFrame } from "../../harness/link.ts";
import { type CallReply, resultOf } from "../../harness/reply.ts";

/** One tool call, as the updates of a turn show it. */
export interface SeenCall {
  readonly id: string;
  readonly frames: readonly UpdateFrame[];
  /** Its last status; `pending` if no update had one. */
  readonly status: string;
  /** All content that it ever showed. */
  readonly content: readonly JsonObject[];
}

/** The tool calls of a session after `after`, merged by their ids. */
export function callsOf(link: SubjectLink, sessionId: string, after = 0): readonly SeenCall[] {
  const calls = new Map<string, SeenCall>();
  for (const seen of link.updates(sessionId, after)) {
    const { update } = seen;
    const kind = update["sessionUpdate"];
    const id = stringField(update, "toolCallId");
    if (id === undefined || (kind !== "tool_call" && kind !== "tool_call_update")) continue;
    const known = calls.get(id);
    const status = stringField(update, "status");
    calls.set(id, {
      id,
      frames: [...(known?.frames ?? []), seen],
      status: status ?? known?.status ?? "pending",
      content: [...(known?.content ?? []), ...objectsField(update, "content")],
    });
  }
  return [...calls.values()];
}

/** The kinds of updates that belong to a turn. Titles, commands and usage may come at any time. */
const OF_TURN: ReadonlySet<unknown> = new Set([
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
  "plan",
]);

/** The updates that belong to a turn, after a position. */
export function turnUpdatesAfter(
  link: SubjectLink,
  sessionId: string,
  after: number,
): readonly UpdateFrame[] {
  return link
    .updates(sessionId, after)
    .filter(({ update }) => OF_TURN.has(update["sessionUpdate"]));
}

const POLL_MS = 20;

/** Waits until a condition is true. Resolves with false if the limit passes first. */
export async function untilTrue(
  condition: () => boolean | Promise<boolean>,
  limitMs: number,
): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    if (await condition()) return true;
    if (performance.now() > deadline) return false;
    await pause(POLL_MS);
  }
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** The value of a promise, or undefined if the limit passes first. */
export async function valueWithin<T>(promise: Promise<T>, limitMs: number): Promise<T | undefined> {
  return (await within(promise, limitMs)) ? promise : undefined;
}

/** The stop reason of a turn; undefined if it was not answered with one. */
export function stopReasonOf(reply: CallReply): unknown {
  return resultOf(reply)["stopReason"];
}
