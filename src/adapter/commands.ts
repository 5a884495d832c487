/** Slash commands: those of Droid, its skills, and the two that are answered here. Pure. */
import type { AvailableCommand } from "../acp/index.ts";
import type { CommandInfo, SkillInfo } from "../droid/index.ts";
import { oneLine } from "./fields.ts";

const OWN: readonly AvailableCommand[] = [
  {
    name: "compact",
    description: "Summarise the conversation so far to free context",
    input: { hint: "what the summary should keep (optional)" },
  },
  { name: "context", description: "Show what fills the context" },
];

/** The commands a client may offer, each name once: Droid's own go before skills of the same name. */
export function availableCommands(
  commands: readonly CommandInfo[],
  skills: readonly SkillInfo[],
): readonly AvailableCommand[] {
  const byName = new Map<string, AvailableCommand>(OWN.map((own) => [own.name, own]));
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
  | { readonly name: "context" };

/** The command of ours that a prompt is; undefined if it is for Droid. */
export function ownCommand(text: string): OwnCommand | undefined {
  const [, name, rest] = /^\/(compact|context)(?:\s+([^]*))?$/.exec(text.trim()) ?? [];
  if (name === "context") return { name };
  if (name !== "compact") return undefined;
  const instructions = rest?.trim();
  return { name, instructions: instructions === "" ? undefined : instructions };
}
