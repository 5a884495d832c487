import type { Values } from "../args/parse.ts";
import { CliError, type ExitCode } from "../exit.ts";
import type { Io } from "../io.ts";
import type { PermissionPolicy } from "../permissions/policy.ts";
import { plainResult } from "../render/renderer.ts";
import type { Chosen } from "../agents/choose.ts";
import { connect } from "../connect/connect.ts";
import type { RunningAgent } from "../connect/running-agent.ts";
import { createContext, reportFailure, type Context } from "./context.ts";

/** Starts the agent of this run. */
export type Connect = (chosen: Chosen, policy: PermissionPolicy) => Promise<RunningAgent>;

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
  let connected: RunningAgent | undefined;
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
    if (failure !== undefined) reportFailure(context, failure);
    context.dispose();
  }
}
