import type { Values } from "../args/parse.ts";
import { CliError, type ExitCode } from "../exit.ts";
import type { Io } from "../io.ts";
import type { Policy } from "../permissions/policy.ts";
import { plainResult } from "../render/renderer.ts";
import type { Chosen } from "../agents/choose.ts";
import { connect, type Connected } from "../connect/connect.ts";
import { createContext, tellFailure, type Context } from "./context.ts";

/** Starts the agent of this run. */
export type Connect = (chosen: Chosen, policy: Policy) => Promise<Connected>;

/**
 * Runs a command that talks to an agent, and ends the agent it started. A failure is told after
 * that, so that it is the last line.
 */
export async function runCommand(
  io: Io,
  values: Values,
  work: (context: Context, start: Connect) => Promise<ExitCode>,
  /** Whether the work has turns, each with a result of its own. */
  hasTurns = false,
): Promise<ExitCode> {
  const context = createContext(io, values);
  let connected: Connected | undefined;
  let failure: CliError | undefined;
  let done = false;
  try {
    const code = await work(context, async (chosen, policy) => {
      connected = await connect(context, chosen, policy);
      return connected;
    });
    done = !hasTurns;
    return code;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    failure = error;
    return error.code;
  } finally {
    context.screen.status(undefined);
    await connected?.close();
    const ms = io.now() - context.startedAt;
    if (done || failure !== undefined) context.renderer.result(plainResult(ms, failure));
    if (failure !== undefined) tellFailure(context, failure);
    context.dispose();
  }
}
