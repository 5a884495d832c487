// Drives an agent with the React hook of use-acp, over a WebSocket: that of a server, or one that a bridge
// connects to the agent.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { WebSocket, WebSocketServer } from "ws";
import { chosen, doSteps, readTask } from "./steps.mjs";

const { command, args, cwd, modules, steps, server } = readTask();
const load = async (path) => (await import(pathToFileURL(join(modules, path)).href)).default;
const { useAcpClient, useAcpStore } = await import(
  pathToFileURL(join(modules, "use-acp/dist/index.js")).href
);
const React = await load("react/index.js");
const { act, create } = await load("react-test-renderer/index.js");
globalThis.IS_REACT_ACT_ENVIRONMENT = true;

// The package's own bridge, stdio-to-ws, listens on every network interface. This one does the same work
// on loopback only.
async function startBridge() {
  const bridge = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(bridge, "listening");
  let exited;
  bridge.on("connection", (socket) => {
    const agent = spawn(command, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
    exited = once(agent, "exit");
    createInterface({ input: agent.stdout }).on("line", (line) => socket.send(line));
    socket.on("message", (data) => {
      if (Buffer.isBuffer(data)) agent.stdin.write(`${data.toString().trimEnd()}\n`);
    });
    socket.on("close", () => agent.stdin.end());
  });
  const end = async () => {
    await exited;
    bridge.close();
  };
  return { wsUrl: `ws://127.0.0.1:${bridge.address().port}`, end };
}

/** The hook has no option for a token, so the socket sends it. */
function connectServer({ url, token }) {
  const headers = { authorization: `Bearer ${token}` };
  globalThis.WebSocket = class extends WebSocket {
    constructor(address) {
      super(address, { headers });
    }
  };
  return { wsUrl: url, end: async () => {} };
}

const { wsUrl, end } = server ? connectServer(server) : await startBridge();

/** The last value of the hook. */
let hook;
let rendered = () => {};
const App = () => {
  hook = useAcpClient({
    wsUrl,
    autoConnect: true,
    reconnectAttempts: 0,
    clientOptions: {
      readTextFile: async ({ path }) => ({ content: await readFile(path, "utf8") }),
      writeTextFile: async ({ path, content }) => {
        await writeFile(path, content);
        return {};
      },
    },
  });
  React.useEffect(() => rendered());
  return null;
};

/** Resolves when the hook has returned something that passes the test. */
const until = (test) =>
  new Promise((resolve) => {
    rendered = () => {
      const found = test();
      if (found) resolve(found);
    };
    rendered();
  });

let renderer;
await act(() => {
  renderer = create(React.createElement(App));
});
globalThis.IS_REACT_ACT_ENVIRONMENT = false;
const agent = await until(() => hook.agent);
await agent.initialize({
  protocolVersion: 1,
  clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } },
});

let sessionId = "";
let seen = 0;

/** The text of the agent's messages that the hook has collected since the last prompt. */
const text = () =>
  hook.notifications
    .slice(seen)
    .flatMap(({ type, data }) => (type === "session_notification" ? [data.update] : []))
    .filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
    .map(({ content }) => content.text ?? "")
    .join("");

await doSteps(steps, {
  open: async () => {
    ({ sessionId } = await agent.newSession({ cwd, mcpServers: [] }));
    await until(() => hook.activeSessionId === sessionId);
    return { sessionId };
  },
  load: async (id) => {
    sessionId = id;
    await agent.loadSession({ sessionId, cwd, mcpServers: [] });
    await until(() => hook.activeSessionId === sessionId);
    return { sessionId };
  },
  prompt: async (step) => {
    seen = hook.notifications.length;
    let stopReason;
    let cancelled = false;
    const prompt = [{ type: "text", text: step.text }];
    void agent.prompt({ sessionId, prompt }).then((answer) => {
      ({ stopReason } = answer);
      rendered();
    });
    await until(() => {
      if (hook.pendingPermission) {
        const { options } = hook.pendingPermission;
        hook.resolvePermission({ outcome: chosen(options, step.permission) });
      }
      if (step.cancelAt !== undefined && !cancelled && text().includes(step.cancelAt)) {
        cancelled = true;
        void agent.cancel({ sessionId });
      }
      return stopReason;
    });
    // React renders the last updates a moment later.
    await until(
      () => hook.notifications.length === useAcpStore.getState().notifications[sessionId].length,
    );
    return { text: text(), stopReason };
  },
  end: async () => {
    renderer.unmount();
    await end();
  },
});
process.exit(0);
