import { ADVICE } from "./turn-end.ts";
import { ERROR_CODES } from "../../../protocol/acp/index.ts";
import { authRequired } from "../../../agent/index.ts";
import { DroidError, DroidExitedError, DroidNotFoundError } from "../../../droid/index.ts";
import { RpcError } from "../../../transport/rpc/index.ts";
import { missingDroid } from "../access.ts";

/** The error response for a failure of Droid. Returns other errors unchanged. */
export function translateDroidError(error: unknown): unknown {
  if (error instanceof DroidExitedError) {
    const { exit, stderr } = error;
    return new RpcError(
      ERROR_CODES.internalError,
      `${error.message}. The next prompt restarts Droid and continues the session.`,
      {
        reason: "droid_exited",
        ...(exit === undefined ? {} : { exitCode: exit.code, signal: exit.signal }),
        ...(stderr === "" ? {} : { stderr }),
      },
    );
  }
  if (error instanceof DroidNotFoundError) {
    const { what, advice, tried } = missingDroid(error);
    const data = { reason: error.code, what, advice, tried };
    return new RpcError(ERROR_CODES.internalError, `${what}. ${advice}`, data);
  }
  if (!(error instanceof DroidError)) return error;
  if (error.code === "auth_required") return authRequired(`${error.message}. ${ADVICE}`);
  return new RpcError(ERROR_CODES.internalError, error.message, { reason: error.code });
}
