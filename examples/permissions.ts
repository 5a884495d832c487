// Decides by itself what an agent may do: reading is allowed, all else only for this one folder.
//
//   node permissions.js command [arguments ...]
import { AcpClient, type PermissionDecision, type PermissionRequest } from "dragoman";

const [command = "npx", ...args] = process.argv.slice(2);

function decide({ kind, toolCall, subject, options }: PermissionRequest): PermissionDecision {
  // Decide by kinds, paths and commands. A title is prose that the agent makes up.
  const isHarmless = kind === "read" || kind === "search";
  const offered = options.map(({ name }) => name).join(", ");
  console.log(`asked: ${subject.type} of kind ${kind} (${toolCall?.toolCallId}); ${offered}`);
  return isHarmless ? "allow" : "deny";
}

await using client = await AcpClient.start({ command, args, permissions: decide });
const session = await client.newSession({ cwd: process.cwd() });
console.log(await session.prompt("Tidy up.").text());
for (const call of session.toolCalls.values()) console.log(`${call.toolCallId}: ${call.status}`);
