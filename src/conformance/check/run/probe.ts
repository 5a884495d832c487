import { asObject, stringField } from "../../../base/index.ts";
import { isUnauthorized } from "../../../transport/wire/index.ts";
import {
  AgentCheck,
  type RunContext,
  signInMethod,
  type SubjectFacts,
} from "../agent/agent-check.ts";
import { AUTH_REQUIRED, describeReply, isError, resultOf } from "../harness/reply.ts";

export type Probe =
  /** `problem`: it does not start, or does not answer `initialize`. */
  | { readonly kind: "dead"; readonly problem: string }
  /** The server of the agent does not accept the token. */
  | { readonly kind: "refused"; readonly problem: string }
  | {
      readonly kind: "alive";
      readonly facts: SubjectFacts;
      readonly name: string | undefined;
      readonly version: string | undefined;
      /** Why no session can be opened without a person; undefined if one can. */
      readonly blocked: string | undefined;
      /** The method that has to be called before sessions. */
      readonly signIn: string | undefined;
    };

const STDERR_LINES = 5;

/** Starts the subject once, measures its speed, and reads what it advertises. */
export async function probe(context: RunContext): Promise<Probe> {
  const check = new AgentCheck(context);
  try {
    return await look(check, context);
  } finally {
    await check.end();
  }
}

async function look(check: AgentCheck, { pace, authMethod, protocol }: RunContext): Promise<Probe> {
  const started = performance.now();
  const link = await check.start();
  const reply = await check.initialize(link);
  const startMs = performance.now() - started;
  if (reply.kind === "ended" || reply.kind === "silent") {
    const stderr = link.transport.stderr().trimEnd().split("\n").slice(-STDERR_LINES).join("\n");
    const words = stderr === "" ? "" : `; last lines of stderr:\n${stderr}`;
    if (reply.kind === "silent") {
      const seconds = Math.round(reply.ms / 1000);
      const problem = `the agent did not answer initialize within ${seconds} s${words}`;
      return { kind: "dead", problem };
    }
    if (isUnauthorized(reply.error)) return { kind: "refused", problem: `the agent ${reply.how}` };
    return { kind: "dead", problem: `the agent ${reply.how} before it was initialized${words}` };
  }
  const initialized = resultOf(reply);
  const info = asObject(initialized[protocol === 1 ? "agentInfo" : "info"]);
  const params = { cwd: await check.workspace(), mcpServers: [] };
  const begun = performance.now();
  let session = await link.request("session/new", params);
  let signIn: string | undefined;
  if (isError(session, AUTH_REQUIRED) && authMethod !== undefined) {
    await link.request(signInMethod(protocol), { methodId: authMethod });
    session = await link.request("session/new", params);
    if (!isError(session, AUTH_REQUIRED)) signIn = authMethod;
  }
  // Only now: a first session may take much longer than a start, so no limit was derived from it.
  pace.measured(startMs);
  if (session.kind === "result") pace.measured(performance.now() - begun);
  return {
    kind: "alive",
    facts: { initialized, session: session.kind === "result" ? resultOf(session) : undefined },
    name: stringField(info, "title") ?? stringField(info, "name"),
    version: stringField(info, "version"),
    blocked: isError(session, AUTH_REQUIRED) ? `session/new: ${describeReply(session)}` : undefined,
    signIn,
  };
}
