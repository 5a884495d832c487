import { toError, within } from "../../../base/index.ts";
import { callFailed, callTimeout, noHost } from "../calls.ts";
import type { FleetCalls } from "../engine.ts";
import { whileOpen } from "./open.ts";

type CallHandler = (text: string) => Promise<string>;

/** Calls between the connections of one fleet in memory. `handlers` belongs to the fleet. */
export function memoryCalls(
  handlers: Map<string, CallHandler>,
  callMs: number,
  closed: AbortSignal,
): FleetCalls {
  const forget = (host: string, handler: CallHandler): void => {
    if (handlers.get(host) === handler) handlers.delete(host);
  };
  return {
    answer: (host, handler) =>
      whileOpen(closed, () => {
        handlers.set(host, handler);
        closed.addEventListener("abort", () => forget(host, handler), { once: true });
        return { close: () => Promise.resolve(forget(host, handler)) };
      }),
    call: (host, text, options = {}) =>
      whileOpen(closed, () => call(handlers.get(host), host, text, options.timeoutMs ?? callMs)),
  };
}

async function call(
  handler: CallHandler | undefined,
  host: string,
  text: string,
  timeoutMs: number,
): Promise<string> {
  if (!handler) throw noHost(host);
  const answer = handler(text).catch((error: unknown) => {
    throw callFailed(toError(error).message);
  });
  if (await within(answer, timeoutMs)) return answer;
  throw callTimeout(host, timeoutMs);
}
