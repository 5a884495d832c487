// A program that uses the package on any runtime, by the names that users import:
//
//   <runtime> program.mjs client <runtime> <arguments> ...   a client that starts the command as agent
//   <runtime> program.mjs agent                              an agent on stdin and stdout
//   <runtime> program.mjs listen                             an agent on a TCP port, which it prints
//   <runtime> program.mjs websocket <url>                    a client on the platform's WebSocket
//   <runtime> program.mjs port                               a client and an agent, joined by ports
import process from "node:process";
import { AcpClient, messagePortChannel } from "dragoman";
import { connectWebSocket } from "dragoman/wire";
import { listenSocket, serveAgent, serveAgents, stdioChannel } from "dragoman/agent";

/**
 * Answers a number with that many long messages, and other text with one line. For "flood" and a number,
 * it sends the messages without waiting for the client, and then prints "sent" to stderr.
 */
const agent = {
  info: { name: "runtime", version: "1.0.0" },
  newSession: () => ({}),
  prompt: async (turn) => {
    const count = Number(turn.text.replace("flood", ""));
    if (!(count > 0)) return void (await turn.say(`heard ${turn.text}`));
    for (let n = 0; n < count; n++) {
      const said = turn.say(`${n} ${"x".repeat(1000)}\n`);
      if (!turn.text.startsWith("flood")) await said;
    }
    process.stderr.write("sent\n");
  },
};

/** Asks an agent and prints its answer. */
async function ask(target, text) {
  const client = await AcpClient.start(target);
  const session = await client.newSession({ cwd: process.cwd() });
  const answer = await session.prompt(text).text();
  const reason = await client.close();
  process.stdout.write(`${answer.trim().split("\n")[0]} (${reason.kind})\n`);
}

/** The thread of one port serves the agent; the other port is the client's. */
async function overPorts() {
  const { port1, port2 } = new MessageChannel();
  const served = serveAgent(messagePortChannel(port2), agent);
  const client = await AcpClient.start({ channel: messagePortChannel(port1) });
  const session = await client.newSession({ cwd: process.cwd() });
  let length = 0;
  // More than may be unread at once.
  for await (const update of session.prompt("3000")) {
    if (update.type === "agent_message_chunk") length += update.text?.length ?? 0;
  }
  await client.close();
  process.stdout.write(`${length} characters (${(await served).kind})\n`);
}

async function listen() {
  const listener = await listenSocket({ port: 0 });
  process.stdout.write(`${listener.address.port}\n`);
  const controller = new AbortController();
  process.stdin.on("end", () => controller.abort());
  process.stdin.resume();
  await serveAgents(listener, agent, { signal: controller.signal });
  process.stdout.write("stopped\n");
}

const [role, ...args] = process.argv.slice(2);
if (role === "client") await ask({ command: args[0], args: args.slice(1) }, "hello");
else if (role === "agent") await serveAgent(stdioChannel(), agent);
else if (role === "listen") await listen();
else if (role === "websocket") await ask({ channel: await connectWebSocket(args[0]) }, "hello");
else if (role === "port") await overPorts();
