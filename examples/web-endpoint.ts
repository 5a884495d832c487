// An endpoint that streams an agent's answer to a page, with the AI SDK.
//
//   node web-endpoint.ts [command [arguments ...]]
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { streamText } from "ai";
import { AcpProviderError, createAcpProvider } from "dragoman/ai";
import { z } from "zod";

const named = process.argv.slice(2);
const [command = "npx", ...args] = named.length > 0 ? named : ["npx", "dragoman", "demo-agent"];
const agent = createAcpProvider({ command, args, permissions: "read" });

/** What a browser may know. The message stays here, because it can contain the agent's stderr. */
function publicError(error: unknown): string {
  console.error(error);
  switch (error instanceof AcpProviderError ? error.code : "internal") {
    case "auth_required":
      return "The agent needs a login on the server.";
    case "timeout":
      return "The agent took too long.";
    case "start_failed":
    case "connection_lost":
      return "The agent is not available.";
    default:
      return "Something failed.";
  }
}

const question = z.object({ prompt: z.string().max(10_000) });

/** Streams the answer to a question. In Express: `app.post("/ask", ask)`. */
async function ask(request: IncomingMessage, response: ServerResponse): Promise<void> {
  // The pages of other sites cannot send this type without permission from this server.
  const isJson = request.headers["content-type"] === "application/json";
  const body = question.safeParse(isJson ? await json(request).catch(() => {}) : undefined);
  if (!body.success) return void response.writeHead(400).end();

  const left = new AbortController();
  response.once("close", () => left.abort()); // stops the agent when the browser disconnects
  const result = streamText({ model: agent(), prompt: body.data.prompt, abortSignal: left.signal });
  await result.pipeUIMessageStreamToResponse(response, { onError: publicError });
}

const PAGE = `<!doctype html>
<title>Ask the agent</title>
<form><input name="prompt" value="What does this project do?" size="60"> <button>Ask</button></form>
<pre></pre>
<script type="module">
  const output = document.querySelector("pre");
  document.querySelector("form").onsubmit = async (event) => {
    event.preventDefault();
    output.textContent = "";
    const body = JSON.stringify({ prompt: event.target.prompt.value });
    const headers = { "content-type": "application/json" };
    const response = await fetch("/ask", { method: "POST", headers, body });
    let rest = "";
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      const events = (rest + piece).split("\\n\\n");
      rest = events.pop();
      for (const event of events.filter((each) => each.startsWith("data: {"))) {
        const { type, delta, errorText } = JSON.parse(event.slice("data: ".length));
        if (type === "text-delta") output.append(delta);
        if (type === "error") output.append(errorText);
      }
    }
  };
</script>`;

const server = createServer((request, response) => {
  if (request.method === "POST" && request.url === "/ask") return void ask(request, response);
  return void response.setHeader("content-type", "text/html").end(PAGE);
});
await once(server.listen(0, "127.0.0.1"), "listening");
const address = server.address();
if (typeof address === "object") console.log(`http://127.0.0.1:${address?.port}/`);

await once(process, "SIGTERM");
server.close();
server.closeAllConnections();
await agent.close();
