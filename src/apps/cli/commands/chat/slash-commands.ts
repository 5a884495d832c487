import type { Session } from "../../../../client/index.ts";
import { runPhase, type RunningAgent } from "../../connect/connect.ts";
import type { FlagGrants, PermissionPolicy } from "../../permissions/policy.ts";
import { sanitizeLine } from "../../../../base/index.ts";
import { table } from "../../render/text/table.ts";
import type { Context } from "../../context/context.ts";
import {
  reopenSession,
  sessionFolder,
  setMode,
  setModel,
  configOptionOf,
} from "../../session/session.ts";
import { pickSession, resolveSession, sessionsToOffer } from "../../session/resolve.ts";
import type { SessionConfigOption } from "../../../../protocol/acp/index.ts";
import type { Completion, Completions } from "../../editor/editor.ts";
import { changesOf, changeLines } from "./changes.ts";
import { recapLines, Recap } from "./recap.ts";
import { listedChoices } from "../../render/text/listings.ts";

export interface ChatHost {
  readonly context: Context;
  readonly connected: RunningAgent;
  readonly session: Session;
  readonly policy: PermissionPolicy;
  /** The last answer of the agent; empty if there is none yet. */
  readonly lastAnswer: string;
  readonly canPick: boolean;
  send(text: string): Promise<void>;
  switchTo(session: Session): Promise<void>;
}

/** Runs one of the chat's own commands, except `/exit`. Resolves with lines that are safe to print. */
export async function runSlashCommand(
  name: Exclude<LocalName, "/exit">,
  args: readonly string[],
  host: ChatHost,
): Promise<readonly string[]> {
  const { session, policy } = host;
  const [arg] = args;
  switch (name) {
    case "/help":
      return helpLines(host);
    case "/mode": {
      const mode = arg ?? (await pickChoice(host, "Choose a mode", modeChoices(session)));
      if (mode !== undefined) await inSession(host, () => setMode(session, mode));
      return choiceLines(modeChoices(session), "the agent has no modes").map(sanitizeLine);
    }
    case "/model": {
      const model = arg ?? (await pickChoice(host, "Choose a model", modelChoices(session)));
      if (model !== undefined) await inSession(host, () => setModel(session, model));
      const none = "the agent offers no choice of models";
      return choiceLines(modelChoices(session), none).map(sanitizeLine);
    }
    case "/permissions":
      return permissionLines(args, policy.grants, policy.canAsk).map(sanitizeLine);
    case "/diff":
      return diff(host);
    case "/undo":
      return undo(host);
    case "/resume":
      return resume(host, arg);
    case "/copy":
      return copy(host);
  }
}

function inSession(
  { context, connected }: ChatHost,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  return runPhase(context, connected, "session", work);
}

function helpLines({ session, connected, context }: ChatHost): readonly string[] {
  const { stderr } = context.io;
  const own = LOCAL.map(({ name, help }) => [name, help]);
  const others = session.commands.map(({ name, description }) => [
    agentSlashCommand(name),
    description,
  ]);
  const rows = others.length === 0 ? own : [...own, [`of ${connected.agent.name}:`, ""], ...others];
  const width = stderr.isTty ? stderr.columns() : undefined;
  return table(["COMMAND", "DESCRIPTION"], rows, width).trimEnd().split("\n");
}

async function pickChoice(
  { context, canPick }: ChatHost,
  title: string,
  choices: readonly LocalChoice[],
): Promise<string | undefined> {
  const { asker, style } = context;
  if (!canPick || asker === undefined || choices.length === 0) return undefined;
  const { pick } = await import("../../tty/picker.ts");
  const items = choices.map(({ id, name, description, isCurrent }) => ({
    label: `${id}${isCurrent ? " *" : ""}`,
    detail: [name === id ? "" : name, description].filter(Boolean).join(": "),
    value: id,
  }));
  const selected = choices.findIndex(({ isCurrent }) => isCurrent);
  return pick(asker, items, { title, style, selected });
}

function choiceLines(choices: readonly LocalChoice[], none: string): readonly string[] {
  if (choices.length === 0) return [none];
  return choices.map(({ id, isCurrent }) => `${isCurrent ? "*" : " "} ${id}`);
}

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

async function diff({ context, session }: ChatHost): Promise<readonly string[]> {
  const { asker, cwd, io, style } = context;
  const lines = await changeLines(changesOf(session), cwd, style);
  if (asker === undefined || lines.length < (io.stderr.rows() ?? 0)) return lines;
  const { showInPager } = await import("../../tty/pager.ts");
  const { signal } = new AbortController();
  const isPaged = await asker.ask(signal, () =>
    showInPager(context, `${lines.join("\n")}\n`, signal),
  );
  return isPaged === true ? [] : lines;
}

/** ACP itself has no method to take back a turn. Some agents have a command for it. */
const UNDO_COMMANDS = ["undo", "rewind"];

async function undo(host: ChatHost): Promise<readonly string[]> {
  const { session, connected } = host;
  const command = UNDO_COMMANDS.find((name) => session.commands.some((one) => one.name === name));
  if (command === undefined) {
    const names = UNDO_COMMANDS.map((name) => `/${name}`).join(" nor ");
    return [sanitizeLine(`${connected.agent.name} cannot undo a turn: it offers neither ${names}`)];
  }
  await host.send(`/${command}`);
  return [];
}

async function resume(host: ChatHost, given: string | undefined): Promise<readonly string[]> {
  const { context, connected, session } = host;
  if (given === undefined && !host.canPick) return ["use /resume ID"];
  const cwd = sessionFolder(context, connected);
  const id =
    given === undefined
      ? await offerSessions(host)
      : await resolveSession(context, connected, given, cwd);
  if (id === undefined) return [];
  if (id === session.id) return ["this is the current session"];
  const { locks } = context;
  const { name } = connected.agent;
  locks.take(name, id);
  const recap = new Recap();
  const [next, origin] = await reopenSession(context, connected, id, (update) =>
    recap.add(update),
  ).catch((error: unknown) => {
    locks.giveBack(name, id);
    throw error;
  });
  context.renderer.session({ sessionId: id, cwd, origin });
  await host.switchTo(next);
  locks.giveBack(name, session.id);
  return recapLines(recap, origin, name);
}

async function offerSessions({ context, connected, canPick }: ChatHost) {
  const { asker } = context;
  if (!canPick || asker === undefined) return undefined;
  const cwd = sessionFolder(context, connected);
  const sessions = await sessionsToOffer(context, connected, cwd);
  if (sessions.length > 0)
    return pickSession(context, asker, sessions, { title: "Resume a session" });
  context.renderer.note(`${connected.agent.name} has no sessions here`);
  return undefined;
}

/** Some terminals ignore a longer text. */
const MAX_COPIED = 74_994;

/** Asks the terminal to copy the last answer, which works over SSH as well. */
function copy({ context, lastAnswer }: ChatHost): readonly string[] {
  const { io } = context;
  if (lastAnswer === "") return ["there is no answer to copy yet"];
  if (!context.screen.canHaveFooter) return ["/copy needs a terminal"];
  const encoded = Buffer.from(lastAnswer).toString("base64");
  context.screen.control(`\u001b]52;c;${encoded}\u0007`);
  const copied = `sent ${lastAnswer.length} characters to the clipboard of the terminal`;
  const size = encoded.length > MAX_COPIED ? "; some terminals ignore this much text" : "";
  const tmux =
    (io.env["TMUX"] ?? "") === "" ? "" : '; tmux passes it on with "set -g set-clipboard on"';
  return [`${copied}${size}${tmux}`];
}

const LOCAL = [
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
    ({ word }) => word.startsWith(typed) && sanitizeLine(word) === word,
  );
  return { start: cursor - typed.length, items };
}

function completionsFor(before: string, session: SessionChoices): readonly Completion[] {
  const [command = "", ...args] = before.split(/\s+/);
  if (args.length > 0) return valuesFor(command, args.length, session);
  return [
    ...LOCAL.map(({ name, help }) => ({ word: name, detail: help })),
    ...session.commands.map(({ name, description }) => ({
      word: agentSlashCommand(name),
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
    command === "/mode" ? modeChoices(session) : command === "/model" ? modelChoices(session) : [];
  return choices.map(({ id, name, isCurrent }) => ({
    word: id,
    detail: [name === id ? "" : name, isCurrent ? "(current)" : ""].filter(Boolean).join(" "),
  }));
}

/** How to type an agent's command: with two slashes if the chat has a command of the same name. */
export function agentSlashCommand(name: string): string {
  return LOCAL.some((local) => local.name === `/${name}`) ? `//${name}` : `/${name}`;
}

interface LocalChoice {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly isCurrent: boolean;
}

function modeChoices(session: SessionChoices): readonly LocalChoice[] {
  const option = configOptionOf(session, "mode");
  if (option !== undefined) return choices(option);
  const { modes } = session;
  return (modes?.availableModes ?? []).map(({ id, name, description }) => ({
    id,
    name,
    description: description ?? "",
    isCurrent: id === modes?.currentModeId,
  }));
}

function modelChoices(session: SessionChoices): readonly LocalChoice[] {
  const option = configOptionOf(session, "model");
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

const GRANTS = ["write", "exec", "yolo"] as const;
