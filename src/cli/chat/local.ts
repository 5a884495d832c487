import type { SessionConfigOption } from "../../acp/index.ts";
import type { Session } from "../../client/index.ts";
import type { FlagGrants } from "../permissions/policy.ts";
import { sanitiseLine } from "../render/terminal/sanitise.ts";
import { choicesOf, optionOf, setMode, setModel } from "../session/session.ts";

/** The chat's own commands. */
export const LOCAL = [
  { name: "/help", help: "show this list" },
  { name: "/mode", help: "show the modes, or set one: /mode NAME" },
  { name: "/model", help: "show the models, or set one: /model NAME" },
  { name: "/permissions", help: "show what is allowed, or change it: /permissions write on" },
  { name: "/exit", help: "end the chat" },
] as const;

export type LocalName = (typeof LOCAL)[number]["name"];

/** The meaning of a line. A slash command that the chat does not know is a prompt for the agent. */
export type ChatLine =
  | { readonly kind: "local"; readonly name: LocalName; readonly args: readonly string[] }
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "nothing" };

/** Parses a line of a chat. Pure. */
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

/** The parts of a session that completion uses. */
export type SessionChoices = Pick<Session, "commands" | "modes" | "configOptions">;

/**
 * Completions for the last word of a line: slash commands, or values for the chat's own commands.
 * Words that are not safe to print are left out, because the terminal shows them unchanged.
 */
export function wordsFor(line: string, session: SessionChoices): readonly string[] {
  if (!line.startsWith("/")) return [];
  const [command = "", ...args] = line.split(/\s+/);
  const words =
    args.length === 0
      ? [
          ...LOCAL.map(({ name }) => name),
          ...session.commands.map(({ name }) => agentCommand(name)),
        ]
      : valuesFor(command, args.length, session);
  return words.filter((word) => sanitiseLine(word) === word);
}

function valuesFor(command: string, position: number, session: SessionChoices): readonly string[] {
  if (command === "/permissions" && position <= 2) return position === 1 ? GRANTS : ["on", "off"];
  if (position > 1) return [];
  if (command === "/mode") return modesOf(session).map(({ id }) => id);
  return command === "/model" ? modelsOf(session).map(({ id }) => id) : [];
}

/** Runs one of the chat's own commands and returns the lines to print. The caller handles `/exit`. */
export async function runLocal(
  name: Exclude<LocalName, "/exit">,
  args: readonly string[],
  session: Session,
  grants: FlagGrants,
  canAsk: boolean,
): Promise<readonly string[]> {
  const [arg] = args;
  switch (name) {
    case "/help":
      return [
        ...LOCAL.map((local) => `${local.name.padEnd(14)} ${local.help}`),
        ...session.commands.map(
          (command) =>
            `${agentCommand(command.name).padEnd(14)} ${command.description} (from the agent)`,
        ),
      ];
    case "/mode":
      if (arg !== undefined) await setMode(session, arg);
      return choiceLines(modesOf(session), "the agent has no modes");
    case "/model":
      if (arg !== undefined) await setModel(session, arg);
      return choiceLines(modelsOf(session), "the agent offers no choice of models");
    case "/permissions":
      return permissionLines(args, grants, canAsk);
  }
}

/** How to type an agent's command: with two slashes if the chat has a command of the same name. */
export function agentCommand(name: string): string {
  return LOCAL.some((local) => local.name === `/${name}`) ? `//${name}` : `/${name}`;
}

interface LocalChoice {
  readonly id: string;
  readonly isCurrent: boolean;
}

function modesOf(session: SessionChoices): readonly LocalChoice[] {
  const option = optionOf(session, "mode");
  if (option !== undefined) return choices(option);
  const { modes } = session;
  return (modes?.availableModes ?? []).map(({ id }) => ({
    id,
    isCurrent: id === modes?.currentModeId,
  }));
}

function modelsOf(session: SessionChoices): readonly LocalChoice[] {
  const option = optionOf(session, "model");
  return option === undefined ? [] : choices(option);
}

function choices(option: SessionConfigOption): readonly LocalChoice[] {
  const current = String(option.currentValue);
  return choicesOf(option).map((id) => ({ id, isCurrent: id === current }));
}

function choiceLines(choices: readonly LocalChoice[], none: string): readonly string[] {
  if (choices.length === 0) return [none];
  return choices.map(({ id, isCurrent }) => `${isCurrent ? "*" : " "} ${id}`);
}

const GRANTS = ["write", "exec", "yolo"] as const;

function permissionLines(
  [name, value]: readonly string[],
  grants: FlagGrants,
  canAsk: boolean,
): readonly string[] {
  if (name !== undefined) {
    const grant = GRANTS.find((known) => known === name);
    if (grant === undefined) return [`"${name}" is not one of ${GRANTS.join(", ")}`];
    if (value !== "on" && value !== "off")
      return [`use /permissions ${name} on or /permissions ${name} off`];
    grants[grant] = value === "on";
  }
  const otherwise = canAsk ? "asks you" : "denied";
  const word = (allowed: boolean): string => (allowed || grants.yolo ? "allowed" : otherwise);
  return [
    "reading        allowed",
    `writing        ${word(grants.write)}`,
    `commands       ${word(grants.exec)}`,
    `everything     ${word(grants.yolo)}`,
  ];
}
