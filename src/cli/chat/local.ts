import type { Session } from "../../client/session.ts";
import type { Grants } from "../permissions/policy.ts";
import { choicesOf, optionOf, setMode, setModel } from "../run/session.ts";

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

/** Runs one of the chat's own commands; returns what to tell. `/exit` is for the caller. */
export async function runLocal(
  name: Exclude<LocalName, "/exit">,
  args: readonly string[],
  session: Session,
  grants: Grants,
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
      return modeLines(session);
    case "/model": {
      if (arg !== undefined) await setModel(session, arg);
      const option = optionOf(session, "model");
      if (option === undefined) return ["the agent lets nobody choose a model"];
      return choicesOf(option).map((value) => mark(value, String(option.currentValue)));
    }
    case "/permissions":
      return permissionLines(args, grants, canAsk);
  }
}

/** How a command of the agent's is typed: with two slashes where the chat has one of that name. */
export function agentCommand(name: string): string {
  return LOCAL.some((local) => local.name === `/${name}`) ? `//${name}` : `/${name}`;
}

function modeLines(session: Session): readonly string[] {
  const option = optionOf(session, "mode");
  if (option !== undefined)
    return choicesOf(option).map((value) => mark(value, String(option.currentValue)));
  const { modes } = session;
  if (modes === undefined || modes.availableModes.length === 0) return ["the agent has no modes"];
  return modes.availableModes.map(({ id }) => mark(id, modes.currentModeId));
}

function mark(value: string, current: string): string {
  return `${value === current ? "*" : " "} ${value}`;
}

function permissionLines(
  [name, value]: readonly string[],
  grants: Grants,
  canAsk: boolean,
): readonly string[] {
  if (name !== undefined) {
    if (name !== "write" && name !== "exec" && name !== "yolo") {
      return [`"${name}" is not one of write, exec, yolo`];
    }
    if (value !== "on" && value !== "off") return [`/permissions ${name} on, or off`];
    grants[name] = value === "on";
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
