/** Slash commands: those of Droid, its skills, and those of the adapter itself. Pure. */
import type { AvailableCommand } from "../../acp/index.ts";
import type { CommandInfo, SkillInfo } from "../../droid/index.ts";
import { oneLine } from "../translate/fields.ts";

const OWN: readonly AvailableCommand[] = [
  {
    name: "compact",
    description: "Summarise the conversation so far to free context",
    input: { hint: "what the summary should keep (optional)" },
  },
  { name: "context", description: "Show what fills the context" },
];

const MCP_LOGIN: AvailableCommand = {
  name: "mcp-login",
  description: "Sign in to an MCP server with the browser",
  input: { hint: "the server's name" },
};

/** The commands that a client may offer, each name once. Commands take precedence over skills. */
export function availableCommands(
  commands: readonly CommandInfo[],
  skills: readonly SkillInfo[],
  mcpLogin: boolean,
): readonly AvailableCommand[] {
  const own = mcpLogin ? [...OWN, MCP_LOGIN] : OWN;
  const byName = new Map<string, AvailableCommand>(own.map((one) => [one.name, one]));
  for (const { name, description, argumentHint } of commands) {
    if (name === "" || byName.has(name)) continue;
    byName.set(name, {
      name,
      description: describe(description, name),
      ...(argumentHint === undefined ? {} : { input: { hint: argumentHint } }),
    });
  }
  for (const { name, description, enabled, userInvocable } of skills) {
    if (!enabled || !userInvocable || name === "" || byName.has(name)) continue;
    byName.set(name, { name, description: describe(description, name) });
  }
  return [...byName.values()];
}

function describe(description: string | undefined, name: string): string {
  return oneLine(description ?? "", 200) || `Run /${name}`;
}

export type OwnCommand =
  | { readonly name: "compact"; readonly instructions: string | undefined }
  | { readonly name: "context" }
  | { readonly name: "mcp-login"; readonly server: string };

/** The adapter command in a prompt, or undefined if the prompt is for Droid. */
export function ownCommand(text: string): OwnCommand | undefined {
  const [, name, rest] = /^\/(compact|context|mcp-login)(?:\s+([^]*))?$/.exec(text.trim()) ?? [];
  const given = rest === undefined || rest.trim() === "" ? undefined : rest.trim();
  switch (name) {
    case "context":
      return { name };
    case "compact":
      return { name, instructions: given };
    case "mcp-login":
      return { name, server: given ?? "" };
    default:
      return undefined;
  }
}
