// Asks an agent one question and prints the answer as it arrives.
//
//   node ask.js "what does this project do?" [command [arguments ...]]
import { AcpClient } from "dragoman";

const [question = "Hello!", command = "npx", ...args] = process.argv.slice(2);

await using client = await AcpClient.start({
  command,
  args: command === "npx" && args.length === 0 ? ["dragoman", "demo-agent"] : args,
  permissions: "read",
});
const session = await client.newSession({ cwd: process.cwd() });
const turn = session.prompt(question);
for await (const update of turn) process.stdout.write(update.text);
const { stopReason } = await turn.result;
process.stdout.write(`\n(${stopReason})\n`);
