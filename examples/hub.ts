// Serves an agent to clients with tokens, and connects three of them.
//
//   node hub.ts [command [arguments ...]]
import { AcpClient, DragomanError } from "dragoman";
import { createToken, hashToken, openRoots, serveHub } from "dragoman/hub";
import { openProcess } from "dragoman/wire";

const named = process.argv.slice(2);
const [command = "npx", ...args] = named.length > 0 ? named : ["npx", "dragoman", "demo-agent"];

// The hub keeps only hashes. Give each token to its owner once.
const [author, reader] = [createToken(), createToken()];
const rights = { roots: ["here"] };

const server = await serveHub({
  port: 0,
  agents: [{ name: "main", key: "main", open: () => openProcess({ command, args }) }],
  roots: await openRoots([{ name: "here", folder: process.cwd() }]),
  tokens: [
    { ...rights, name: "author", sha256: hashToken(author), role: "controller" },
    { ...rights, name: "reader", sha256: hashToken(reader), role: "observer" },
  ],
});
process.once("SIGTERM", () => void server.drain(60_000)); // lets running turns finish

/** Connects with a token, and asks in a folder of the server. */
async function ask(token: string, cwd: string): Promise<string> {
  try {
    await using client = await AcpClient.start({ url: server.webSocketUrl, token });
    const session = await client.newSession({ cwd });
    return await session.prompt("/title Hello from elsewhere").text();
  } catch (error) {
    if (error instanceof DragomanError) return `refused (${error.code})`;
    throw error;
  }
}

console.log("author:", await ask(author, "here"));
console.log("author, in another folder:", await ask(author, "/etc"));
console.log("reader:", await ask(reader, "here"));
console.log("a wrong token:", await ask(createToken(), "here"));
await server.close();
