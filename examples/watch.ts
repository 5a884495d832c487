// Prints everything that happens in a session, as an editor would display it.
//
//   node watch.js [command [arguments ...]]
import { AcpClient, type Session, type SessionEvent } from "dragoman";

const named = process.argv.slice(2);
const [command = "npx", ...args] = named.length > 0 ? named : ["npx", "dragoman", "demo-agent"];

function line(event: SessionEvent): string {
  switch (event.type) {
    case "turn_started":
      return "--- turn started";
    case "turn_ended":
      return `--- turn ended: ${event.stopReason ?? event.error?.message}`;
    case "agent_message_chunk":
      return `says: ${event.text}`;
    case "agent_thought_chunk":
      return `thinks: ${event.thought}`;
    case "tool_call":
    case "tool_call_update":
      return `tool ${event.toolCallId}: ${event.title ?? ""} ${event.status ?? ""}`;
    case "plan":
      return event.entries.map(({ status, content }) => `plan: [${status}] ${content}`).join("\n");
    default:
      return event.type;
  }
}

async function show(session: Session): Promise<void> {
  for await (const event of session.updates()) console.log(line(event));
}

await using client = await AcpClient.start({ command, args });
const session = await client.newSession({ cwd: process.cwd() });
const shown = show(session);
await session.prompt("Hello!").result;
await session.close();
await shown;
