// A client and an agent that talk to each other where there is nothing but the web platform. Bundled
// by a test, which runs it without Node's modules and globals.
import {
  AcpClient,
  InvalidArgumentError,
  localTerminals,
  memoryPair,
  resourceLink,
} from "dragoman";
import { serveAgent } from "dragoman/agent";
import { translator } from "dragoman/unstable";
import { byteStreamChannel, openProcess, stdioChannel } from "dragoman/wire";

/** An agent that reads a file of its client, asks for permission and answers. */
const agent = {
  info: { name: "in the page", version: "1.0.0" },
  localWorkspaces: false,
  newSession: () => ({}),
  async prompt(turn) {
    const text = await turn.readFile("/virtual/notes.md");
    const { allowed } = await turn.askPermission({ title: "Shout", kind: "edit" });
    await turn.say(allowed ? text.toUpperCase() : text);
  },
};

async function errorOf(work) {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** The answer of an agent to a client of v1 or v2 that is connected through a translator or directly. */
async function answerIn(protocol, translated) {
  const [near, far] = memoryPair();
  const definition = { ...agent, prompt: (turn) => turn.say(`v${turn.client.protocolVersion}`) };
  let channel = near;
  if (translated) {
    const [start, end] = memoryPair();
    const versions = translator(translated);
    const pass = ({ toAgent, toClient }) => {
      for (const frame of toAgent) void near.send(JSON.stringify(frame));
      for (const frame of toClient) void end.send(JSON.stringify(frame));
    };
    end.open((line) => pass(versions.fromClient(JSON.parse(line))));
    near.open((line) => pass(versions.fromAgent(JSON.parse(line))));
    void end.closed.then(() => near.close());
    channel = start;
  }
  const served = serveAgent(far, definition);
  const client = await AcpClient.start({ channel, protocol });
  const session = await client.newSession({ cwd: "/virtual" });
  const answer = await session.prompt("go").text();
  const { protocolVersion } = client.agent;
  await client.close();
  await served;
  return `v${protocolVersion} ${answer}`;
}

async function main() {
  const [near, far] = memoryPair();
  const served = serveAgent(far, agent);
  const client = await AcpClient.start({
    channel: near,
    permissions: { policy: "read", ask: () => "allow" },
    fs: { provider: { realpath: (path) => path, readTextFile: () => "hello" } },
  });
  const session = await client.newSession({ cwd: "/virtual" });
  const answer = await session.prompt([resourceLink("/virtual/notes.md"), "go"]).text();
  await client.close();
  await served;

  const lines = [];
  const readable = new ReadableStream({
    start: (stream) => {
      for (const part of ["one\ntw", "o\n"]) stream.enqueue(new TextEncoder().encode(part));
      stream.close();
    },
  });
  const reading = byteStreamChannel({ readable, writable: new WritableStream() });
  reading.open((line) => lines.push(line));
  await reading.closed;

  const [unused] = memoryPair();
  const errors = await Promise.all(
    [
      () => AcpClient.start({ command: "droid-acp" }),
      () => AcpClient.start({ channel: unused, terminal: { create: () => {} } }),
      () => localTerminals(),
      () => resourceLink("notes.md"),
      () => openProcess({ command: "droid-acp" }),
      () => stdioChannel(),
      () => serveAgent(memoryPair()[0], { ...agent, localWorkspaces: undefined }),
    ].map(errorOf),
  );
  return {
    answer,
    versions: [
      await answerIn(1),
      await answerIn(2),
      await answerIn(1, { client: 1, agent: 2 }),
      await answerIn(2, { client: 2, agent: 1 }),
    ],
    lines,
    errors: errors.map((error) => `${error?.name}: ${error?.message}`),
    isTyped: errors[0] instanceof InvalidArgumentError,
  };
}

globalThis.finished = main();
