// Asks an agent through the AI SDK, and shows its tool calls and its plan.
//
//   node ai.js "what does this project do?" [command [arguments ...]]
import { streamText } from "ai";
import { createAcpProvider } from "dragoman/ai";

const [question = "Hello!", command = "npx", ...args] = process.argv.slice(2);

await using agent = createAcpProvider({
  command,
  args: command === "npx" && args.length === 0 ? ["dragoman", "demo-agent"] : args,
  permissions: "read",
});
const { stream } = streamText({ model: agent(), prompt: question });
for await (const part of stream) {
  if (part.type === "text-delta") process.stdout.write(part.text);
  if (part.type === "tool-call") console.log(`(uses the tool ${part.toolName})`);
  if (part.type === "custom" && part.kind === "dragoman.plan") console.log("(has a new plan)");
  if (part.type === "finish") console.log(`\n(${part.rawFinishReason})`);
}
