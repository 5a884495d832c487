// A program that returns a turn's text out of the block that closes the client.
import { memoryPair, serveAgent } from "../../src/entries/agent.ts";
import { AcpClient } from "../../src/entries/dragoman.ts";

async function ask(): Promise<string> {
  const [clientEnd, agentEnd] = memoryPair();
  void serveAgent(agentEnd, {
    info: { name: "silent", version: "1" },
    newSession: () => ({}),
    prompt: () => new Promise(() => {}),
  });
  await using client = await AcpClient.start({ channel: clientEnd });
  const session = await client.newSession({ cwd: process.cwd() });
  return session.prompt("x").text();
}

try {
  await ask();
} catch (error) {
  process.stdout.write(`caught ${error instanceof Error ? error.name : "something else"}\n`);
}
process.exit();
