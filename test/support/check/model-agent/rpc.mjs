import { agent, defect } from "./context.mjs";

/** The state of a connection. */
export const newConnection = () => ({ open: new Map(), waiters: [], asked: 0, wasFull: false });

/** An error with a JSON-RPC code. */
export class RpcError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

export function write(message) {
  const { connection, output } = agent();
  const line = `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
  if (defect("drops-when-full") && connection.wasFull && message.method === "session/update") {
    connection.wasFull = output.isFull();
    return;
  }
  connection.wasFull = !output.write(line);
}

/** Waits until the client has read enough, so that a slow client does not fill the memory. */
export function drained() {
  const { output } = agent();
  return defect("drops-when-full") || !output.isFull() ? undefined : output.drained();
}

export const notify = (method, params) => write({ method, params });

/** Calls the client. Rejects with its error, or with the reason of the signal. */
export function call(method, params, signal) {
  const { connection } = agent();
  const { open } = connection;
  const id = connection.asked++;
  return new Promise((resolve, reject) => {
    const stop = () => {
      if (!open.delete(id)) return;
      notify("$/cancel_request", { requestId: id });
      reject(signal.reason);
    };
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    if (!defect("waits-for-answers")) signal?.addEventListener("abort", stop, { once: true });
    open.set(id, (response) => {
      signal?.removeEventListener("abort", stop);
      if (!("error" in response)) return resolve(response.result);
      if (!defect("error-hangs") || method !== "terminal/output")
        reject(new RpcError(response.error.code, response.error.message));
    });
    write({ id, method, params });
  });
}

/** Whether the client has not answered every call. */
export const isAsking = () => agent().connection.open.size > 0;

/** Resolves when the client has answered every call. */
export async function allAnswered() {
  const { open, waiters } = agent().connection;
  while (open.size > 0)
    await new Promise((resolve) => {
      waiters.push(resolve);
    });
}

/** Takes a line of the client. Handlers return a result or throw. */
export async function receive(line, handlers) {
  if (line.trim() === "") return;
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    return write({ id: null, error: { code: -32700, message: "the line is not JSON" } });
  }
  if (typeof message !== "object" || message === null || Array.isArray(message))
    return write({ id: null, error: { code: -32600, message: "the line is not a message" } });
  const { id, method, params } = message;
  const { open, waiters } = agent().connection;
  const answer = open.get(id);
  const isResponse = typeof method !== "string";
  if (answer && (isResponse || defect("colliding-ids"))) {
    open.delete(id);
    for (const resolve of waiters.splice(0)) resolve();
    return answer(message);
  }
  if (isResponse) {
    if (!("result" in message || "error" in message))
      write({ id: id ?? null, error: { code: -32600, message: "the line is not a message" } });
    return;
  }
  const handler = handlers[method];
  if (id === undefined) {
    if (handler) await Promise.resolve(handler(params ?? {}, undefined)).catch(() => {});
    return;
  }
  try {
    if (!handler) throw new RpcError(-32601, `there is no method ${method}`);
    write({ id, result: await handler(params ?? {}, id) });
  } catch (error) {
    const code = Number.isInteger(error.code) ? error.code : -32603;
    write({ id, error: { code, message: error.message.split("\n")[0] } });
  }
}
