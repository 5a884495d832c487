// Stops an agent in the middle of its work by leaving the loop.
//
//   node cancel.js [command [arguments ...]]
import { AcpClient } from "dragoman";

const named = process.argv.slice(2);
const [command = "npx", ...args] = named.length > 0 ? named : ["npx", "dragoman", "demo-agent"];

await using client = await AcpClient.start({ command, args });
const session = await client.newSession({ cwd: process.cwd() });
const turn = session.prompt("Count to a million.");
for await (const update of turn) {
  console.log(`received: ${update.text}`);
  break;
}
console.log((await turn.result).stopReason);
