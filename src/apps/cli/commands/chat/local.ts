import { listedChoices } from "../../render/text/facts.ts";
import type { SessionConfigOption } from "../../../../protocol/acp/index.ts";
import type { Session } from "../../../../client/index.ts";
import type { Completion, Completions } from "../../editor/editor.ts";
import { sanitiseLine } from "../../render/terminal/sanitise.ts";
import { optionOf } from "../../session/session.ts";

export const LOCAL = [
  { name: "/help", help: "show this list" },
  { name: "/model", help: "choose a model, or set one: /model NAME" },
  { name: "/mode", help: "choose a mode, or set one: /mode NAME" },
  { name: "/permissions", help: "show what is allowed, or change it: /permissions write on" },
  { name: "/diff", help: "show all changes of this session" },
  { name: "/undo", help: "take back the last turn, if the agent can" },
  { name: "/resume", help: "continue another session, or one by its id: /resume ID" },
  { name: "/copy", help: "copy the last answer to the clipboard" },
  { name: "/exit", help: "end the chat" },
] as const;

export type LocalName = (typeof LOCAL)[number]["name"];

/** The meaning of a line. A slash command that the chat does not know is a prompt for the agent. */
type ChatLine =
  | { readonly kind: "local"; readonly name: LocalName; readonly args: readonly string[] }
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "nothing" };

export function readChatLine(line: string): ChatLine {
  const text = line.trim();
  if (text === "") return { kind: "nothing" };
  const [word = "", ...args] = text.split(/\s+/);
  const alias = word === "/quit" ? "/exit" : word;
  const local = LOCAL.find(({ name }) => name === alias);
  // Two slashes call the agent's command if the chat has a command of the same name.
  if (LOCAL.some(({ name }) => word === `/${name}`)) return { kind: "prompt", text: text.slice(1) };
  return local === undefined
    ? { kind: "prompt", text: line }
    : { kind: "local", name: local.name, args };
}

export type SessionChoices = Pick<Session, "commands" | "modes" | "configOptions">;

/**
 * Completions for the last word before the cursor: slash commands, or values for the chat's own
 * commands. Words that are not safe to print are left out, because the terminal shows them unchanged.
 */
export function commandsFor(
  text: string,
  cursor: number,
  session: SessionChoices,
): Completions | undefined {
  if (!text.startsWith("/") || text.includes("\n")) return undefined;
  const before = text.slice(0, cursor);
  const typed = /\S*$/.exec(before)?.[0] ?? "";
  const items = completionsFor(before, session).filter(
    ({ word }) => word.startsWith(typed) && sanitiseLine(word) === word,
  );
  return { start: cursor - typed.length, items };
}

function completionsFor(before: string, session: SessionChoices): readonly Completion[] {
  const [command = "", ...args] = before.split(/\s+/);
  if (args.length > 0) return valuesFor(command, args.length, session);
  return [
    ...LOCAL.map(({ name, help }) => ({ word: name, detail: help })),
    ...session.commands.map(({ name, description }) => ({
      word: agentCommand(name),
      detail: description,
    })),
  ];
}

function valuesFor(
  command: string,
  position: number,
  session: SessionChoices,
): readonly Completion[] {
  if (command === "/permissions" && position <= 2)
    return (position === 1 ? GRANTS : ["on", "off"]).map((word) => ({ word, detail: "" }));
  if (position > 1) return [];
  const choices =
    command === "/mode" ? modesOf(session) : command === "/model" ? modelsOf(session) : [];
  return choices.map(({ id, name, isCurrent }) => ({
    word: id,
    detail: [name === id ? "" : name, isCurrent ? "(current)" : ""].filter(Boolean).join(" "),
  }));
}

/** How to type an agent's command: with two slashes if the chat has a command of the same name. */
export function agentCommand(name: string): string {
  return LOCAL.some((local) => local.name === `/${name}`) ? `//${name}` : `/${name}`;
}

export interface LocalChoice {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly isCurrent: boolean;
}

export function modesOf(session: SessionChoices): readonly LocalChoice[] {
  const option = optionOf(session, "mode");
  if (option !== undefined) return choices(option);
  const { modes } = session;
  return (modes?.availableModes ?? []).map(({ id, name, description }) => ({
    id,
    name,
    description: description ?? "",
    isCurrent: id === modes?.currentModeId,
  }));
}

export function modelsOf(session: SessionChoices): readonly LocalChoice[] {
  const option = optionOf(session, "model");
  return option === undefined ? [] : choices(option);
}

function choices(option: SessionConfigOption): readonly LocalChoice[] {
  return listedChoices(option).map(({ id, name, description }) => ({
    id,
    name: name || id,
    description: description ?? "",
    isCurrent: id === String(option.currentValue),
  }));
}

export const GRANTS = ["write", "exec", "yolo"] as const;
