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
import { LineSplitter, openProcess, stdioChannel } from "dragoman/wire";

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
  const splitter = new LineSplitter((line) => lines.push(line));
  splitter.push(new TextEncoder().encode("one\ntw"));
  splitter.push(new TextEncoder().encode("o\n"));

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
    lines,
    errors: errors.map((error) => `${error?.name}: ${error?.message}`),
    isTyped: errors[0] instanceof InvalidArgumentError,
  };
}

globalThis.finished = main();
