import { asObject, type JsonObject } from "../../../wire/index.ts";
import { Unmet } from "../../harness/errors.ts";
import type { SubjectLink, LinkFrame } from "../../harness/link.ts";
import { describeReply, type CallReply } from "../../harness/reply.ts";
import { type AgentCheck, type OpenAgent } from "../agent-check.ts";

/** An open session of version 2. */
export interface Session2 {
  readonly link: SubjectLink;
  readonly sessionId: string;
  readonly cwd: string;
}

/** Opens an agent of version 2. Throws {@link Unmet} if it speaks another version. */
export async function open2(check: AgentCheck): Promise<OpenAgent> {
  const agent = await check.open({});
  if (agent.initialized["protocolVersion"] === 2) return agent;
  throw new Unmet("the agent does not speak version 2");
}

/** Opens a session in a new process. */
export async function session2(check: AgentCheck, extra: JsonObject = {}): Promise<Session2> {
  const { link } = await open2(check);
  const cwd = await check.workspace();
  const reply = await link.request("session/new", { cwd, ...extra });
  const sessionId = reply.kind === "result" ? asObject(reply.result)?.["sessionId"] : undefined;
  if (typeof sessionId === "string") return { link, sessionId, cwd };
  throw new Unmet(`session/new failed: ${describeReply(reply)}`, isBlocked(reply));
}

function isBlocked(reply: CallReply): boolean {
  return reply.kind === "error" && reply.code === -32000;
}

/** The state update in a frame of a session; undefined for other frames. */
export function stateIn(frame: LinkFrame, sessionId: string): JsonObject | undefined {
  const { message, direction } = frame;
  if (direction !== "in" || message.kind !== "notification") return undefined;
  const params = asObject(message.params) ?? {};
  const update = asObject(params["update"]);
  const isState = params["sessionId"] === sessionId && update?.["sessionUpdate"] === "state_update";
  return isState ? update : undefined;
}

/** Waits until a session is idle, in frames after `after`. */
export function untilIdle(
  check: AgentCheck,
  { link, sessionId }: Session2,
  after: number,
): Promise<LinkFrame | undefined> {
  const limitMs = check.pace.turnMs;
  return link.until((frame) => stateIn(frame, sessionId)?.["state"] === "idle", { after, limitMs });
}

/** The prompt of a turn, its receipt, and its end. */
export interface Turn2 {
  readonly reply: CallReply;
  /** The position of the prompt. */
  readonly n: number;
  readonly messageId: string | undefined;
  readonly idle: LinkFrame | undefined;
}

/** Runs a turn to its end. */
export async function turn2(
  check: AgentCheck,
  session: Session2,
  words: string,
  extra: JsonObject = {},
): Promise<Turn2> {
  const { link, sessionId } = session;
  const prompt = [{ type: "text", text: words }];
  const limitMs = check.pace.turnMs;
  const { n, reply } = link.begin("session/prompt", { sessionId, prompt, ...extra }, { limitMs });
  const receipt = await reply;
  const messageId = receipt.kind === "result" ? asObject(receipt.result)?.["messageId"] : undefined;
  const idle = receipt.kind === "result" ? await untilIdle(check, session, n) : undefined;
  return {
    reply: receipt,
    n,
    messageId: typeof messageId === "string" && messageId !== "" ? messageId : undefined,
    idle,
  };
}

/** A session with one finished turn. Throws {@link Unmet} if no prompt works. */
export async function seed2(
  check: AgentCheck,
): Promise<{ readonly session: Session2; readonly turn: Turn2 }> {
  const session = await session2(check);
  const turn = await turn2(check, session, "Hello, remember the word marzipan.");
  if (turn.reply.kind !== "result")
    throw new Unmet(`no prompt works: ${describeReply(turn.reply)}`);
  return { session, turn };
}
