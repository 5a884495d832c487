// An agent built with the official SDK. The text of a prompt chooses what it does.
import { agent, ndJsonStream, RequestError } from "@agentclientprotocol/sdk";
import { once } from "node:events";
import process from "node:process";
import { Readable, Writable } from "node:stream";

const update = (client, sessionId, value) =>
  client.notify("session/update", { sessionId, update: value });
const chunk = (text) => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
});

/** The turns by name. Each returns its stop reason. */
const turns = {
  // Sends numbered chunks right up to the response.
  async count({ client, params }) {
    for (let n = 0; n < 200; n++) void update(client, params.sessionId, chunk(String(n)));
    return "end_turn";
  },
  // Sends a tool call and, right behind it, its permission request.
  async ask({ client, params }) {
    const toolCallId = "call-1";
    void update(client, params.sessionId, { sessionUpdate: "tool_call", toolCallId, title: "Run" });
    const { outcome } = await client.request("session/request_permission", {
      sessionId: params.sessionId,
      toolCall: { toolCallId },
      options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
    });
    await update(client, params.sessionId, chunk(JSON.stringify(outcome)));
    return "end_turn";
  },
  // Sends updates of a future protocol version.
  async future({ client, params }) {
    const { sessionId } = params;
    await update(client, sessionId, { sessionUpdate: "hologram", beam: { on: true } });
    await update(client, sessionId, {
      sessionUpdate: "agent_message_chunk",
      content: { type: "smell", of: "coffee" },
      extra: 1,
    });
    await update(client, sessionId, {
      sessionUpdate: "tool_call",
      toolCallId: "t",
      title: "T",
      kind: "teleport",
      status: "dreaming",
    });
    return "end_turn";
  },
  async noise({ client, params }) {
    process.stdout.write("Loading model...\n");
    process.stdout.write("50% ");
    await update(client, params.sessionId, chunk("after the noise"));
    return "end_turn";
  },
  async wait({ signal }) {
    if (!signal.aborted) await once(signal, "abort");
    throw RequestError.requestCancelled();
  },
  async crash() {
    process.stderr.write("out of memory\n", () => process.exit(70));
    return new Promise(() => {});
  },
};

agent({ name: "sdk-agent" })
  .onRequest("initialize", ({ params }) => ({
    protocolVersion: params.protocolVersion,
    agentCapabilities: {},
    authMethods: [],
  }))
  .onRequest("session/new", () => ({ sessionId: "session-1" }))
  .onRequest("session/prompt", async (context) => {
    const [block] = context.params.prompt;
    return { stopReason: await turns[block.text](context) };
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
