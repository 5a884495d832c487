// A program that asks one question. Nothing may keep it running afterwards.
import { tmpdir } from "node:os";
import { createAcpProvider } from "../../../src/entries/ai.ts";

await using provider = createAcpProvider({
  command: process.execPath,
  args: [process.argv[2] ?? "", "well"],
  session: { cwd: tmpdir() },
});
const { content } = await provider().doGenerate({
  prompt: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
});
for (const part of content) if (part.type === "text") process.stdout.write(`${part.text}\n`);
