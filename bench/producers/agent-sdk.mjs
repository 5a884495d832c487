// The official SDK's agent, each update awaited.
import { Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream } from "@agentclientprotocol/sdk";
import { measure, SESSION, update } from "./agent-report.mjs";

const count = Number(process.argv[2]);
const app = agent({ name: "bench" })
  .onRequest(methods.agent.initialize, () => ({ protocolVersion: 1, agentCapabilities: {} }))
  .onRequest(methods.agent.session.new, () => ({ sessionId: SESSION }))
  .onRequest(methods.agent.session.prompt, async (context) => {
    const done = measure();
    for (let i = 0; i < count; i++) {
      await context.client.notify(methods.client.session.update, update(i).params);
    }
    setImmediate(done);
    return { stopReason: "end_turn" };
  });
app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
