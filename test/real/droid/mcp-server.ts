import { writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Writes a tiny MCP server. Its tool `echo` returns its input, `env` the variable FOO. */
export async function writeMcpServer(folder: string): Promise<string> {
  const path = join(folder, "mcp-server.cjs");
  await writeFile(
    path,
    `const answers = {
  initialize: (p) => ({ protocolVersion: p.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "tiny", version: "1" } }),
  "tools/list": () => ({ tools: ["echo", "env"].map((name) => ({ name, description: name, inputSchema: { type: "object", properties: { text: { type: "string" } } } })) }),
  "tools/call": (p) => ({ content: [{ type: "text", text: p.name === "env" ? "FOO=" + process.env.FOO : "echo: " + JSON.stringify(p.arguments) }] }),
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method]?.(params) ?? {} }) + "\\n");
});
`,
  );
  return path;
}
