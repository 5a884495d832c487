// Asks three questions at once, in three sessions of one agent, and times out after a minute.
//
//   node parallel.js [command [arguments ...]]
import { AcpClient } from "dragoman";

const named = process.argv.slice(2);
const [command = "npx", ...args] = named.length > 0 ? named : ["npx", "dragoman", "demo-agent"];
const questions = ["one", "two", "three"];

await using client = await AcpClient.start({ command, args, timeouts: { turnMs: 60_000 } });
const answers = await Promise.all(
  questions.map(async (question) => {
    const session = await client.newSession({ cwd: process.cwd() });
    return session.prompt(question).text();
  }),
);
for (const answer of answers) console.log(answer);
