import type { Msg } from "@nats-io/transport-node";
import { toError, pause, within } from "../../../base/index.ts";
import type { CallStore } from "../engine-parts.ts";
import { callTimeout, closedError, FleetError, noHost } from "../errors.ts";
import { ATTEMPT_MS, type NatsContext } from "./context.ts";
import { packText, unpackText } from "./publish.ts";

const ERROR_HEADER = "Dr-Error";

/** How long a call waits for an unknown host. Not all servers of a cluster know a new one at once. */
const UNKNOWN_HOST_MS = 500;
const PAUSE_MS = 50;

/** Calls as requests of NATS: quick, and not stored. */
export function natsCalls(context: NatsContext): CallStore {
  const { connection, names } = context;
  return {
    answer: async (host, handler) => {
      const subscription = connection.subscribe(names.hostSubject(host), {
        callback: (error, message) => {
          // A message that cannot be answered anymore: the connection is about to close.
          if (!error) void respond(context, message, handler).catch(() => {});
        },
      });
      await connection.flush();
      return {
        close: async () => {
          if (connection.isClosed()) return;
          subscription.unsubscribe();
          // Until the servers know it, a call would get lost instead of being refused.
          await within(connection.flush(), ATTEMPT_MS).catch(() => {});
        },
      };
    },
    call: (host, text, timeoutMs) => call(context, host, text, timeoutMs),
  };
}

async function respond(
  context: NatsContext,
  message: Msg,
  handler: (text: string) => Promise<string>,
): Promise<void> {
  try {
    const result = await handler(await unpackText(context, message));
    const { data, headers } = await packText(context, result);
    message.respond(data, { headers });
  } catch (error) {
    const headers = context.packages.transport.headers();
    headers.set(ERROR_HEADER, "1");
    message.respond(toError(error).message, { headers });
  }
}

async function call(
  context: NatsContext,
  host: string,
  text: string,
  timeoutMs: number,
): Promise<string> {
  const { connection, names, packages, closed } = context;
  const { RequestError, TimeoutError } = packages.transport;
  const { data, headers } = await packText(context, text);
  const subject = names.hostSubject(host);
  const startedAt = performance.now();
  for (;;) {
    if (closed.aborted) throw closedError("the engine");
    try {
      const message = await connection.request(subject, data, { timeout: timeoutMs, headers });
      const result = await unpackText(context, message);
      if (message.headers?.has(ERROR_HEADER) === true) throw new FleetError("remote_error", result);
      return result;
    } catch (error) {
      if (error instanceof TimeoutError) throw callTimeout(host, timeoutMs);
      if (!(error instanceof RequestError)) throw error;
      if (!error.isNoResponders()) throw callTimeout(host, timeoutMs);
      const limit = Math.min(UNKNOWN_HOST_MS, timeoutMs);
      if (performance.now() - startedAt >= limit) throw noHost(host);
      await pause(PAUSE_MS, closed);
    }
  }
}
