// Decides in code what an agent may do: allows reading and searching, denies everything else.
//
//   node permissions.js [command [arguments ...]]
import { AcpClient, type PermissionDecision, type PermissionRequest } from "dragoman";

const named = process.argv.slice(2);
const [command = "npx", ...args] = named.length > 0 ? named : ["npx", "dragoman", "demo-agent"];

function decide({ kind, toolCall, subject, options }: PermissionRequest): PermissionDecision {
  // Decide by kind, path and command. The title is free text that the agent makes up.
  const isHarmless = kind === "read" || kind === "search";
  const offered = options.map(({ name }) => name).join(", ");
  console.log(`asked: ${subject.type} of kind ${kind} (${toolCall?.toolCallId}); ${offered}`);
  return isHarmless ? "allow" : "deny";
}

await using client = await AcpClient.start({ command, args, permissions: decide });
const session = await client.newSession({ cwd: process.cwd() });
console.log(await session.prompt("Tidy up.").text());
for (const call of session.toolCalls.values()) console.log(`${call.toolCallId}: ${call.status}`);
