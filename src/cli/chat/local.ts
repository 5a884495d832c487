import type { SessionConfigOption } from "../../acp/index.ts";
import type { Session } from "../../client/index.ts";
import type { FlagGrants } from "../permissions/policy.ts";
import { sanitiseLine } from "../render/terminal/sanitise.ts";
import { choicesOf, optionOf, setMode, setModel } from "../session/session.ts";

/** The chat's own commands. */
export const LOCAL = [
  { name: "/help", help: "what can be typed here" },
  { name: "/mode", help: "show the modes, or set one: /mode NAME" },
  { name: "/model", help: "show the models, or set one: /model NAME" },
  { name: "/permissions", help: "show what is allowed, or change it: /permissions write on" },
  { name: "/exit", help: "end the chat" },
] as const;

export type LocalName = (typeof LOCAL)[number]["name"];

/** What a line means. A slash command that is none of ours is the agent's. */
export type ChatLine =
  | { readonly kind: "local"; readonly name: LocalName; readonly args: readonly string[] }
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "nothing" };

/** Reads a line of a chat. Pure. */
export function readChatLine(line: string): ChatLine {
  const text = line.trim();
  if (text === "") return { kind: "nothing" };
  const [word = "", ...args] = text.split(/\s+/);
  const alias = word === "/quit" ? "/exit" : word;
  const local = LOCAL.find(({ name }) => name === alias);
  // Two slashes lead past the chat's own command to the agent's of the same name.
  if (LOCAL.some(({ name }) => word === `/${name}`)) return { kind: "prompt", text: text.slice(1) };
  return local === undefined
    ? { kind: "prompt", text: line }
    : { kind: "local", name: local.name, args };
}

/** The parts of a session that can be typed in a chat. */
export type Typed = Pick<Session, "commands" | "modes" | "configOptions">;

/**
 * What the last word of a line may become: a slash command, or a value of one of the chat's own. It
 * is printed as it is, so what would not be safe to print is left out.
 */
export function wordsFor(line: string, session: Typed): readonly string[] {
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

function valuesFor(command: string, place: number, session: Typed): readonly string[] {
  if (command === "/permissions" && place <= 2) return place === 1 ? GRANTS : ["on", "off"];
  if (place > 1) return [];
  if (command === "/mode") return modesOf(session).map(({ id }) => id);
  return command === "/model" ? modelsOf(session).map(({ id }) => id) : [];
}

/** Runs one of the chat's own commands; returns what to tell. `/exit` is for the caller. */
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
            `${agentCommand(command.name).padEnd(14)} ${command.description} (the agent's)`,
        ),
      ];
    case "/mode":
      if (arg !== undefined) await setMode(session, arg);
      return told(modesOf(session), "the agent has no modes");
    case "/model":
      if (arg !== undefined) await setModel(session, arg);
      return told(modelsOf(session), "the agent lets nobody choose a model");
    case "/permissions":
      return permissionLines(args, grants, canAsk);
  }
}

/** How a command of the agent's is typed: with two slashes where the chat has one of that name. */
export function agentCommand(name: string): string {
  return LOCAL.some((local) => local.name === `/${name}`) ? `//${name}` : `/${name}`;
}

interface LocalChoice {
  readonly id: string;
  readonly isCurrent: boolean;
}

function modesOf(session: Typed): readonly LocalChoice[] {
  const option = optionOf(session, "mode");
  if (option !== undefined) return choices(option);
  const { modes } = session;
  return (modes?.availableModes ?? []).map(({ id }) => ({
    id,
    isCurrent: id === modes?.currentModeId,
  }));
}

function modelsOf(session: Typed): readonly LocalChoice[] {
  const option = optionOf(session, "model");
  return option === undefined ? [] : choices(option);
}

function choices(option: SessionConfigOption): readonly LocalChoice[] {
  const current = String(option.currentValue);
  return choicesOf(option).map((id) => ({ id, isCurrent: id === current }));
}

function told(choices: readonly LocalChoice[], none: string): readonly string[] {
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
    if (value !== "on" && value !== "off") return [`/permissions ${name} on, or off`];
    grants[grant] = value === "on";
  }
  const otherwise = canAsk ? "asked about" : "refused";
  const word = (allowed: boolean): string => (allowed || grants.yolo ? "allowed" : otherwise);
  return [
    "reading        allowed",
    `writing        ${word(grants.write)}`,
    `commands       ${word(grants.exec)}`,
    `everything     ${word(grants.yolo)}`,
  ];
}
