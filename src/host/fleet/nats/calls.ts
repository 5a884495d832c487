import type { Msg } from "@nats-io/transport-node";
import { quietly, toError } from "../../../base/index.ts";
import { callFailed, callTimeout, noHost, closedError } from "../errors.ts";
import type { CallServer, FleetCalls, FleetValues } from "../engine.ts";
import { pause } from "../engine-parts.ts";
import type { NatsContext } from "./context.ts";
import { packText, unpackText } from "./publish.ts";

const ERROR_HEADER = "Dr-Error";

/**
 * How long a call waits for a host that no server knows. A host that has just started is not known to all
 * servers of a cluster at once.
 */
const UNKNOWN_HOST_MS = 500;
const PAUSE_MS = 50;

/** Calls as requests of NATS: quick, and not stored. */
export function natsCalls(context: NatsContext, values: FleetValues): FleetCalls {
  return {
    answer: (host, handler) => quietly(() => answer(context, values, host, handler)),
    call: (host, text, options = {}) =>
      quietly(() => call(context, values, host, text, options.timeoutMs ?? context.limits.callMs)),
  };
}

async function answer(
  context: NatsContext,
  values: FleetValues,
  host: string,
  handler: (text: string) => Promise<string>,
): Promise<CallServer> {
  const { connection, names, packages } = context;
  const respond = async (message: Msg): Promise<void> => {
    try {
      const result = await handler(await unpackText(values, message));
      const { data, headers } = await packText(context, values, result);
      message.respond(data, { headers });
    } catch (error) {
      const headers = packages.transport.headers();
      headers.set(ERROR_HEADER, "1");
      message.respond(toError(error).message, { headers });
    }
  };
  const subscription = connection.subscribe(names.hostSubject(host), {
    callback: (error, message) => {
      // A message that cannot be answered anymore: the connection is about to close.
      if (!error) void respond(message).catch(() => {});
    },
  });
  await connection.flush();
  return {
    close: async () => {
      if (!connection.isClosed()) subscription.unsubscribe();
    },
  };
}

async function call(
  context: NatsContext,
  values: FleetValues,
  host: string,
  text: string,
  timeoutMs: number,
): Promise<string> {
  const { connection, names, packages, closed } = context;
  const { RequestError, TimeoutError } = packages.transport;
  const { data, headers } = await packText(context, values, text);
  const subject = names.hostSubject(host);
  const startedAt = performance.now();
  for (;;) {
    if (closed.aborted) throw closedError("the engine");
    try {
      const message = await connection.request(subject, data, { timeout: timeoutMs, headers });
      const result = await unpackText(values, message);
      if (message.headers?.has(ERROR_HEADER) === true) throw callFailed(result);
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
