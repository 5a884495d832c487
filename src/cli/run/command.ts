import type { Values } from "../args/parse.ts";
import { CliError, type ExitCode } from "../exit.ts";
import type { Io } from "../io.ts";
import type { Policy } from "../permissions/policy.ts";
import type { ResultFacts } from "../render/renderer.ts";
import type { Chosen } from "./choose.ts";
import { connect, type Connected } from "./connect.ts";
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
): Promise<ExitCode> {
  const context = createContext(io, values);
  let connected: Connected | undefined;
  let failure: CliError | undefined;
  try {
    return await work(context, async (chosen, policy) => {
      connected = await connect(context, chosen, policy);
      return connected;
    });
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    failure = error;
    return error.code;
  } finally {
    context.screen.status(undefined);
    await connected?.close();
    if (failure !== undefined) {
      context.renderer.result(failedResult(context, failure));
      tellFailure(context, failure);
    }
    context.dispose();
  }
}

/** The result of a command that failed outside of any turn. */
function failedResult({ io, startedAt }: Context, failure: CliError): ResultFacts {
  return {
    exitCode: failure.code,
    text: "",
    stopReason: undefined,
    usage: undefined,
    sessionId: undefined,
    denied: [],
    durationMs: io.now() - startedAt,
    error: { kind: failure.exit, ...failure.details },
  };
}
