// The wire of the agent: lines, JSON-RPC, and the defects of both.
import { handlers as handlersOfV1 } from "./handlers.mjs";

export const RpcError = class extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
};

/**
 * Serves one client. `read` takes the client's bytes.
 * @param {{
 *   switches: ReadonlySet<string>,
 *   env: Readonly<Record<string, string | undefined>>,
 *   write: (bytes: string | Uint8Array) => unknown,
 *   exit: (code: number) => void,
 *   handlers?: ((client: any) => Record<string, any>) | undefined,
 * }} options
 */
export function serve({ switches, env, write, exit, handlers = handlersOfV1 }) {
  const has = (name) => switches.has(name);
  const waiting = new Map();
  let rest = Buffer.alloc(0);
  let asked = 0;
  let isSilent = false;
  let pending = 0;

  const send = (message, isBroken = false) => {
    if (isSilent) return;
    const bytes = Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    // 0xff never appears in UTF-8.
    if (isBroken) bytes[bytes.indexOf("Hello")] = 0xff;
    write(bytes);
  };
  const client = {
    has,
    env,
    send,
    exit,
    fail: (code, message) => {
      throw new RpcError(code, message);
    },
    notify: (method, params, isBroken) => send({ method, params }, isBroken),
    call: (method, params) =>
      new Promise((resolve) => {
        const id = `agent-${++asked}`;
        waiting.set(id, resolve);
        send({ id, method, params });
      }),
    silence: () => {
      isSilent = true;
    },
  };
  const methods = handlers(client);
  if (has("banner")) write("Welcome to the agent\n");
  if (has("open-banner")) write("Welcome to the agent ");

  const answer = (id, body) => {
    send({ id: has("zero-id-is-null") && id === 0 ? null : id, ...body });
  };
  const errorOf = (error) => {
    const code = error instanceof RpcError ? error.code : -32603;
    const message = has("error-in-two-lines") ? `${error.message}\nsee above` : error.message;
    return { code: has("http-code") && error.message.includes("_dragoman") ? 404 : code, message };
  };

  async function request({ id, method, params }) {
    if (has("silent-custom") && method === "_dragoman/unknown") return;
    if (has("drops-floods") && ++pending > 50) return;
    setImmediate(() => (pending = 0));
    try {
      const handler = methods[method];
      if (!handler) {
        if (has("unknown-is-null") && method.includes("/unknown"))
          return answer(id, { result: null });
        throw new RpcError(-32601, `unknown method ${method}`);
      }
      const result = await handler(params);
      answer(id, { result: result === undefined ? {} : result });
      methods.after?.(method, params, result);
      if (has("answers-twice") && method === "session/new") answer(id, { result });
    } catch (error) {
      const both = has("result-and-error") ? { result: null } : {};
      answer(id, { ...both, error: errorOf(error) });
      if (has("silent-after-error") && error.code === -32602) isSilent = true;
    }
  }

  function notification({ method, params }) {
    if (method === "_dragoman/notice" && has("unknown-notification-ends")) return exit(1);
    if (has("answers-notifications")) {
      send({ id: null, error: { code: -32601, message: `unknown notification ${method}` } });
    }
    methods.notified?.(method, params);
  }

  function message(value) {
    if (Array.isArray(value)) {
      if (has("array-ends")) return exit(1);
      return send({ id: null, error: { code: -32600, message: "batches are not supported" } });
    }
    if (typeof value !== "object" || value === null) return;
    if (typeof value.method === "string") {
      return "id" in value ? void request(value) : notification(value);
    }
    const resolve = waiting.get(value.id);
    if (!resolve && has("stray-ends")) return exit(1);
    waiting.delete(value.id);
    resolve?.(value);
  }

  function line(bytes) {
    if (has("long-line-ends") && bytes.length > 1024 * 1024) return exit(1);
    if (has("nul-ends") && bytes.includes(0)) return exit(1);
    const text = bytes.toString("utf8").trimEnd();
    if (text === "") return has("blank-line-ends") ? exit(1) : undefined;
    let value;
    try {
      value = JSON.parse(text);
    } catch {
      return send({ id: null, error: { code: -32700, message: "parse error" } });
    }
    message(value);
  }

  return {
    read(chunk) {
      // A defect of readers that take a chunk for a message.
      if (has("loses-single-bytes") && chunk.length === 1) return;
      rest = Buffer.concat([rest, chunk]);
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
        const bytes = rest.subarray(0, end);
        rest = rest.subarray(end + 1);
        line(bytes);
      }
    },
  };
}
