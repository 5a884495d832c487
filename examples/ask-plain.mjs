// Asks an agent one question, in plain JavaScript for Node 20: `finally` replaces `await using`.
//
//   node ask-plain.mjs "what does this project do?" [command [arguments ...]]
import { AcpClient } from "dragoman";

const [question = "Hello!", command = "npx", ...args] = process.argv.slice(2);

const client = await AcpClient.start({
  command,
  args: command === "npx" && args.length === 0 ? ["dragoman", "demo-agent"] : args,
});
try {
  const session = await client.newSession({ cwd: process.cwd() });
  console.log(await session.prompt(question).text());
} finally {
  await client.close();
}
