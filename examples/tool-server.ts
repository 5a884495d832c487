// Lets the agent call a function of this program.
//
//   node tool-server.ts [prompt [command [arguments ...]]]
import { AcpClient } from "dragoman";
import { defineTool, toolServer } from "dragoman/tools";
import { z } from "zod";

const CALL = '/mcp-call shop tools/call {"name":"count","arguments":{"item":"heron"}}';
const [prompt = CALL, ...named] = process.argv.slice(2);
const demo = ["npx", "dragoman", "demo-agent", "--unstable"];
const [command = "npx", ...args] = named.length > 0 ? named : demo;

const stock = new Map([["heron", 3]]);

const count = defineTool({
  name: "count",
  description: "Tells how many items of a kind are in stock",
  input: z.object({ item: z.string() }),
  hints: { readOnlyHint: true },
  run: ({ item }) => {
    console.log(`(the agent asks for ${item})`);
    const found = stock.get(item);
    if (found === undefined) throw new Error(`there is no ${item}`); // the model gets this message
    return `${found} of ${item}`;
  },
});

await using client = await AcpClient.start({ command, args, unstable: true });
const shop = toolServer({ name: "shop", tools: [count] });
const session = await client.newSession({ cwd: process.cwd(), mcpServers: [shop] });
console.log(await session.prompt(prompt).text());
