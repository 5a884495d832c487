import { asObject, isJsonObject, type JsonObject, within } from "../../wire/index.ts";
import { Unmet } from "../harness/errors.ts";
import type { SubjectLink } from "../harness/link.ts";
import { describeReply, type CallReply } from "../harness/reply.ts";
import type { AgentCheck } from "./agent-check.ts";
import { untilTrue } from "./turns/wait.ts";

/** Updates that are part of the conversation. Titles, commands and usage are not. */
const CONVERSATION = new Set([
  "user_message_chunk",
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
]);

/** An update with its position. */
export interface PlacedUpdate {
  readonly n: number;
  readonly update: JsonObject;
}

/** The updates of a conversation after `after`. */
export function conversationOf(
  link: SubjectLink,
  sessionId: string,
  after: number,
): readonly PlacedUpdate[] {
  return link
    .updates(sessionId, after)
    .filter(({ update }) => CONVERSATION.has(String(update["sessionUpdate"])));
}

/** The texts of messages in updates, joined by kind. */
export function textOf(updates: readonly PlacedUpdate[], kind: string): string {
  return updates
    .filter(({ update }) => update["sessionUpdate"] === kind)
    .map(({ update }) => asObject(update["content"])?.["text"])
    .filter((text) => typeof text === "string")
    .join("");
}

/** A session with one finished turn, in a process that is still running. */
export interface SeededSession {
  readonly link: SubjectLink;
  readonly sessionId: string;
  readonly cwd: string;
  /** The text of the prompt. */
  readonly words: string;
}

/** Opens a session and finishes one turn. Throws {@link Unmet} if no prompt works. */
export async function seedSession(
  check: AgentCheck,
  words = "Hello, remember the word marzipan.",
): Promise<SeededSession> {
  const { link } = await check.open({});
  const cwd = await check.workspace();
  const sessionId = await check.session(link, cwd);
  const reply = await check.prompt(link, sessionId, words);
  if (reply.kind !== "result") throw new Unmet(`no prompt works: ${describeReply(reply)}`);
  return { link, sessionId, cwd, words };
}

/** Ends a process as a client does: it closes stdin, waits, and then insists. */
export async function endPolitely(check: AgentCheck, link: SubjectLink): Promise<void> {
  const { process: control } = link.transport;
  control?.endInput();
  if (control) await within(control.exited, check.pace.exitMs);
  await link.transport.end();
}

/** Waits until the agent has saved its sessions, where the recipe of the agent knows how to tell. */
export async function prepareLoad(check: AgentCheck, words: string): Promise<void> {
  const { recipe } = check.run.subject;
  const { home } = await check.place();
  await untilTrue(async () => (await recipe?.hasSaved?.(home, words)) ?? true, check.pace.answerMs);
  await recipe?.beforeLoad?.(home);
}

/** A session with a turn that was opened again. */
export interface ReopenedSeed extends SeededSession {
  readonly reply: CallReply;
  /** The position before the request. */
  readonly after: number;
  readonly where: "in a fresh process" | "in the same process only";
}

/**
 * Finishes a turn and opens its session again: in a fresh process or, if that fails, in the same one,
 * because the protocol does not demand that sessions outlive the agent.
 */
export async function reopen(
  check: AgentCheck,
  open: (link: SubjectLink, session: SeededSession) => Promise<CallReply>,
): Promise<ReopenedSeed> {
  const seed = await seedSession(check);
  await endPolitely(check, seed.link);
  await prepareLoad(check, seed.words);
  const { link } = await check.open({});
  const after = link.frames.length;
  const reply = await open(link, { ...seed, link });
  if (reply.kind === "result") return { ...seed, link, after, reply, where: "in a fresh process" };
  const same = await seedSession(check);
  const before = same.link.frames.length;
  const second = await open(same.link, same);
  return { ...same, after: before, reply: second, where: "in the same process only" };
}

/** Loads a session. */
export function load(link: SubjectLink, sessionId: string, cwd: string): Promise<CallReply> {
  return link.request("session/load", { sessionId, cwd, mcpServers: [] });
}

/** The sessions of a list. */
export function sessionsIn(reply: CallReply): readonly JsonObject[] {
  const result = reply.kind === "result" ? asObject(reply.result) : undefined;
  const list = result?.["sessions"];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
