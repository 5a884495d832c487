import { type JsonObject, objectsField } from "../../../base/index.ts";
import type { SubjectLink } from "../harness/link.ts";
import { type CallReply, resultOf } from "../harness/reply.ts";
import type { AgentCheck } from "./agent-check.ts";
import { untilTrue } from "./stage/turn-facts.ts";

export interface LinkSession {
  readonly link: SubjectLink;
  readonly sessionId: string;
  readonly cwd: string;
}

export const SEED_WORDS = "Hello, remember the word marzipan.";

/** Waits until the agent has saved its sessions, where the recipe of the agent knows how to tell. */
export async function untilSaved(
  check: AgentCheck,
  words: string,
  limitMs = check.pace.answerMs,
): Promise<void> {
  const { recipe } = check.run.subject;
  const { home } = await check.place();
  await untilTrue(async () => (await recipe?.hasSaved?.(home, words)) ?? true, limitMs);
}

/** Does what some agents need before another process of theirs can load a session. */
export async function beforeLoad(check: AgentCheck): Promise<void> {
  await check.run.subject.recipe?.beforeLoad?.((await check.place()).home);
}

/** Ends an agent, and waits until another process of it can load its sessions. */
export async function leaveSaved(
  check: AgentCheck,
  link: SubjectLink,
  words = SEED_WORDS,
): Promise<void> {
  await check.leave(link);
  await untilSaved(check, words);
  await beforeLoad(check);
}

export type Reopened<Seed> = Seed & {
  readonly reply: CallReply;
  /** The position before the request. */
  readonly after: number;
  readonly where: "in a fresh process" | "in the same process only";
};

/**
 * Finishes a turn and reopens its session: in a fresh process or, if that fails, in the same one,
 * because the protocol does not demand that sessions outlive the agent.
 */
export async function reopenSaved<Seed extends LinkSession>(
  check: AgentCheck,
  seed: (check: AgentCheck) => Promise<Seed>,
  open: (session: LinkSession) => Promise<CallReply>,
): Promise<Reopened<Seed>> {
  const first = await seed(check);
  await leaveSaved(check, first.link);
  const { link } = await check.open({});
  const after = link.frames.length;
  const reply = await open({ ...first, link });
  if (reply.kind === "result") return { ...first, link, after, reply, where: "in a fresh process" };
  const same = await seed(check);
  const before = same.link.frames.length;
  const second = await open(same);
  return { ...same, after: before, reply: second, where: "in the same process only" };
}

export function load({ link, sessionId, cwd }: LinkSession): Promise<CallReply> {
  return link.request("session/load", { sessionId, cwd, mcpServers: [] });
}

export function listedSessions(reply: CallReply): readonly JsonObject[] {
  return objectsField(resultOf(reply), "sessions");
}
