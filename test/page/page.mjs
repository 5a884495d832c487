// The program of the page: one function per scenario. A test bundles it and calls the functions.
import { AcpClient, ConnectionError, sliceLines } from "dragoman";
import { messagePortChannel, webSocketChannel } from "dragoman/wire";

/** Files that exist only in this page. */
const files = new Map();

const provider = {
  realpath: (path) => path,
  readTextFile: ({ path, line, limit }) => {
    const text = files.get(path);
    if (text === undefined) throw Object.assign(new Error(path), { code: "ENOENT" });
    return sliceLines(text, { line, limit });
  },
  writeTextFile: ({ path, content }) => void files.set(path, content),
};

/** Shows a permission request as two buttons and waits for a click. */
function ask({ toolCall, signal }) {
  return new Promise((resolve) => {
    const question = document.createElement("p");
    question.id = "question";
    question.textContent = toolCall.title;
    const answer = (decision) => {
      question.remove();
      resolve(decision);
    };
    for (const decision of ["allow", "deny"]) {
      const button = document.createElement("button");
      button.textContent = decision;
      button.addEventListener("click", () => answer(decision));
      question.append(button);
    }
    signal.addEventListener("abort", () => answer("cancel"));
    document.body.append(question);
  });
}

function connect(config = {}) {
  const address = new URL("/agent", location.href);
  address.protocol = "ws:";
  return AcpClient.start({
    channel: webSocketChannel(new WebSocket(address)),
    capabilities: { fs: { writeTextFile: true } },
    permissions: { policy: "read", ask },
    fs: { provider },
    ...config,
  });
}

globalThis.scenarios = {
  /** Runs one turn, and returns everything about it. */
  async turn(cwd, prompt) {
    const client = await connect();
    const session = await client.newSession({ cwd });
    const turn = session.prompt(prompt);
    const types = new Set();
    let text = "";
    for await (const update of turn) {
      types.add(update.type);
      text += update.text;
    }
    const { stopReason } = await turn.result;
    await client.close();
    return { agent: client.agent.info.name, text, types: [...types], stopReason };
  },

  /** Runs one turn with an agent behind an address of this server, or of another one. */
  async remote(scheme, token, cwd, prompt, server = location.href) {
    const url = new URL("/acp", server);
    url.protocol = scheme;
    const client = await AcpClient.start({ url, token });
    const session = await client.newSession({ cwd });
    const text = await session.prompt(prompt).text();
    await client.close();
    return text;
  },

  /** Puts a file into the page's memory. */
  put: (path, text) => void files.set(path, text),
  get: (path) => files.get(path),

  /** Starts a turn that never ends, and cancels it. */
  async cancel(cwd) {
    const client = await connect();
    const session = await client.newSession({ cwd });
    const turn = session.prompt("/hang");
    for await (const update of turn) if (update.text !== "") void turn.cancel();
    const { stopReason } = await turn.result;
    const text = await session.prompt("/think still here").text();
    await client.close();
    return { stopReason, text };
  },

  /** Starts a turn, and reports how it ends when the connection is lost. */
  async lose(cwd) {
    const client = await connect();
    const session = await client.newSession({ cwd });
    const turn = session.prompt("/hang");
    try {
      for await (const update of turn) if (update.text !== "") globalThis.isHanging?.();
    } catch (error) {
      const closed = await client.closed;
      return {
        isConnectionError: error instanceof ConnectionError,
        message: error.message,
        kind: closed.kind,
        sessions: client.sessions.length,
      };
    }
    return undefined;
  },

  /** Connects where that is not allowed, and reports the error. */
  async failedStart() {
    try {
      await connect();
      return undefined;
    } catch ({ name, message, cause }) {
      return { name, message, cause: cause.name };
    }
  },

  /** Runs a turn with an agent in a worker. */
  async worker() {
    const worker = new Worker("/worker.js", { type: "module" });
    const left = new Promise((resolve) => {
      worker.addEventListener("message", ({ data }) => resolve(data));
    });
    const { port1, port2 } = new MessageChannel();
    worker.postMessage(port2, [port2]);
    const client = await connect({ channel: messagePortChannel(port1) });
    const session = await client.newSession({ cwd: "/page" });
    const text = await session.prompt("go").text();
    await client.close();
    const result = { text, left: await left };
    worker.terminate();
    return result;
  },

  /** The capabilities that a client without options advertises here, as the agent reports them. */
  async advertised(cwd) {
    const client = await connect({ capabilities: undefined, fs: undefined });
    const session = await client.newSession({ cwd });
    const text = await session.prompt("/client").text();
    await client.close();
    return text;
  },
};
