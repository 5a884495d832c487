// The same program as port-before.ts, on Dragoman.
//
//   node port-after.ts [command [arguments ...]]
import { AcpClient } from "dragoman";

const named = process.argv.slice(2);
const [command = "npx", ...args] = named.length > 0 ? named : ["npx", "dragoman", "demo-agent"];

await using client = await AcpClient.start({
  command,
  args,
  permissions: {
    policy: "read", // inside the session's folder, with links resolved
    ask: ({ toolCall }) => {
      console.log(`asked: ${toolCall?.title}`);
      return "deny";
    },
  },
});
const session = await client.newSession({ cwd: process.cwd() });
for (const prompt of ["/read README.md", "/permission"]) {
  const { text, stopReason } = await session.prompt(prompt).result;
  console.log(`${text} (${stopReason})`);
}
