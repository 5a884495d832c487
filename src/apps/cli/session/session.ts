import { resolve } from "node:path";
import {
  agentHas,
  mcpServerLacks,
  type SessionConfigOption,
  type Update,
} from "../../../protocol/acp/index.ts";
import { configOptionValues, ROOT_META, type Session } from "../../../client/index.ts";
import { writePrivate, messageOf, nearest } from "../../../base/index.ts";
import type { Origin, Values } from "../shell/parse.ts";
import { setOptions } from "../shell/option-values.ts";
import type { McpEntry } from "../settings/schema.ts";
import { CliError, usageError } from "../shell/exit.ts";
import type { SessionFacts } from "../render/renderer.ts";
import { SessionStore, SessionNames } from "../stored/sessions.ts";
import { runPhase, rawCapabilities, type RunningAgent } from "../connect/connect.ts";
import type { Context } from "../context/context.ts";
import { stat } from "node:fs/promises";
import type { SelectedAgent } from "../agents/select.ts";
import { absolute } from "../prompt/mentions.ts";
import { MIB, readGivenFile } from "../shell/regular-file.ts";
import { isLocalAgentAddress } from "../settings/agent-address.ts";

/**
 * Opens the session that the flags ask for, and sets its mode, model and options. The conversation of a
 * stored session goes to `onReplay`.
 */
export async function openSession(
  context: Context,
  connected: RunningAgent,
  onReplay?: (update: Update) => void,
): Promise<readonly [Session, SessionFacts["origin"]]> {
  const { values, io, renderer, screen, locks } = context;
  const cwd = sessionFolder(context, connected);
  // Most runs open a new session and do not need the code.
  const resolver = isReopened(values) ? await import("./resolve.ts") : undefined;
  const id = await resolver?.resolveFlags(context, connected, cwd);
  if (id !== undefined) locks.take(connected.agent.name, id);
  screen.status("opening a session");
  const [session, origin] =
    id === undefined
      ? ([await newSession(context, connected), "new"] as const)
      : await reopenSession(context, connected, id, onReplay);
  // An agent that numbers its sessions may give the same id to a new session of another run.
  if (id === undefined) locks.tryTake(connected.agent.name, session.id);
  renderer.session({ sessionId: session.id, cwd, origin });
  try {
    const file = values.text("save-session");
    if (file !== undefined) await saveSession(resolve(io.cwd, file), file, session.id);
    await configure(context, connected, session, origin === "new");
  } catch (error) {
    if (origin === "new") await discardSession(context, connected, session);
    throw error;
  }
  return [session, origin];
}

function isReopened(values: Values): boolean {
  const names = ["resume", "session"] as const;
  return values.flag("continue") || names.some((name) => values.text(name) !== undefined);
}

/**
 * The folder of the session: a local one, or for an agent on a server the value of `--cwd`, unchanged, or
 * the root that the server names. Throws a usage error if a server on another machine names none: a local
 * folder means nothing there.
 */
export function sessionFolder(
  { cwd, values }: Pick<Context, "cwd" | "values">,
  { agent, client }: SessionPlace,
): string {
  if (!agent.remote) return cwd;
  const given = values.text("cwd");
  if (given !== undefined && given !== "") return given;
  const root = client.agent.meta?.[ROOT_META];
  // With --remote-files, the folder is on this machine, so the server must not choose it.
  if (typeof root === "string" && root !== "" && !values.flag("remote-files")) return root;
  if (isLocalAgentAddress(agent.remote.url)) return cwd;
  throw usageError(
    `${agent.name} is on a server: name the folder there`,
    "-C FOLDER, or the name of one of the server's roots",
  );
}

/** The parts of a running agent that decide where its sessions are. */
export interface SessionPlace {
  readonly agent: Pick<RunningAgent["agent"], "name" | "remote">;
  readonly client: { readonly agent: Pick<RunningAgent["client"]["agent"], "meta"> };
}

/** Remembers a session that got a prompt, for `--continue`. */
export function rememberSession(context: Context, connected: RunningAgent, session: Session): void {
  const { io, renderer, values } = context;
  const { agent, background } = connected;
  const cwd = sessionFolder(context, connected);
  const { id: sessionId, title } = session;
  const last = { sessionId, at: new Date(io.now()).toISOString(), title };
  const name = values.text("session");
  const remembered = Promise.all([
    new SessionStore(io).remember(agent.name, cwd, last),
    name !== undefined && new SessionNames(io).remember(agent.name, cwd, { name, sessionId }),
  ]).catch((error: unknown) => {
    const flag = name === undefined ? "--continue" : "--continue and --session";
    renderer.note(`could not remember this session for ${flag}: ${messageOf(error)}`);
  });
  // The turn does not wait for the disk.
  background.push(remembered);
}

async function newSession(context: Context, connected: RunningAgent): Promise<Session> {
  const setup = await setupOptions(context, connected);
  return runPhase(context, connected, "session", (signal) =>
    connected.client.newSession({ ...setup, signal }),
  );
}

/** The options that a new session and a reopened one share. */
async function setupOptions(context: Context, connected: RunningAgent) {
  return {
    cwd: sessionFolder(context, connected),
    mcpServers: mcpServers(context, connected),
    additionalDirectories: await moreFolders(context, connected.agent),
    systemPrompt: await instructionsOf(context),
  };
}

/** How long an agent that replays late must be silent before its replay counts as complete. */
const REPLAY_SILENCE_MS = 300;

/**
 * Reopens a stored session: loads it, or resumes it if the agent cannot load. Never opens a new
 * session instead. Replayed updates go only to `onReplay`.
 */
export async function reopenSession(
  context: Context,
  connected: RunningAgent,
  sessionId: string,
  onReplay?: (update: Update) => void,
): Promise<readonly [Session, Exclude<SessionFacts["origin"], "new">]> {
  const { client, agent } = connected;
  const options = { sessionId, ...(await setupOptions(context, connected)) };
  return runPhase(context, connected, "reopen", async (signal) => {
    const raw = rawCapabilities(client);
    if (agentHas(raw, "loadSession") || !agentHas(raw, "sessionCapabilities.resume")) {
      const replay = {
        ...(onReplay === undefined ? {} : { onReplay }),
        ...(agent.switches.replaysLate === true ? { replaySilenceMs: REPLAY_SILENCE_MS } : {}),
      };
      return [await client.loadSession({ ...options, signal, ...replay }), "load"] as const;
    }
    return [await client.resumeSession({ ...options, signal }), "resume"] as const;
  });
}

/** The MCP servers from the settings that this agent supports. */
function mcpServers({ renderer }: Context, { client, agent, chosen }: RunningAgent): McpEntry[] {
  const raw = rawCapabilities(client);
  return chosen.mcpServers.filter((server) => {
    const lacking = mcpServerLacks(server, raw);
    if (lacking === undefined) return true;
    renderer.note(`skipping the MCP server "${server.name}": ${agent.name} lacks ${lacking}`);
    return false;
  });
}

/** The id is all that it takes to read a session, so only the user gets to see it. */
async function saveSession(path: string, name: string, id: string): Promise<void> {
  try {
    await writePrivate(path, `${id}\n`);
  } catch (error) {
    throw usageError(`could not write --save-session ${name}: ${messageOf(error)}`);
  }
}

/** Sets the mode, the model and options. The settings of an agent are only for new sessions. */
async function configure(
  context: Context,
  connected: RunningAgent,
  session: Session,
  isNew: boolean,
): Promise<void> {
  const { values } = context;
  const wanted = (name: "mode" | "model"): string | undefined =>
    isNew || values.origin(name) !== "agent" ? values.text(name) : undefined;
  const [mode, model] = [wanted("mode"), wanted("model")];
  await runPhase(context, connected, "session", async () => {
    if (mode !== undefined) await settled(connected, values.origin("mode"), setMode(session, mode));
    if (model !== undefined)
      await settled(connected, values.origin("model"), setModel(session, model));
    for (const origin of isNew ? (["agent", "flag"] as const) : (["flag"] as const)) {
      for (const [key, value] of setOptions(values.of("set", origin)))
        await settled(connected, origin, setOption(session, key, value));
    }
  });
}

/** Adds to an error where the wrong value comes from, if the user did not type it. */
async function settled(
  { agent }: RunningAgent,
  origin: Origin | undefined,
  setting: Promise<void>,
): Promise<void> {
  try {
    await setting;
  } catch (error) {
    if (!(error instanceof CliError) || origin === "flag") throw error;
    const where =
      origin === "environment" ? "the environment" : `agents.${agent.name} in your settings`;
    throw usageError(`${error.details.what} (from ${where})`, error.details.hint);
  }
}

/** Sets the mode, through the config option of that category if the agent has one. */
export async function setMode(session: Session, mode: string): Promise<void> {
  const option = configOptionOf(session, "mode");
  if (option !== undefined) return setValue(session, option, mode);
  const known = session.modes?.availableModes.map(({ id }) => id) ?? [];
  if (known.length === 0) throw usageError("the agent has no modes");
  if (!known.includes(mode)) throw unknownChoice("mode", mode, known);
  await session.setMode(mode);
}

export async function setModel(session: Session, model: string): Promise<void> {
  const option = configOptionOf(session, "model");
  if (option === undefined) throw usageError("the agent offers no choice of models");
  await setValue(session, option, model);
}

async function setOption(session: Session, id: string, value: string): Promise<void> {
  const options = session.configOptions ?? [];
  const option = options.find((candidate) => candidate.id === id);
  if (option === undefined)
    throw unknownChoice(
      "option",
      id,
      options.map((one) => one.id),
    );
  await setValue(session, option, value);
}

async function setValue(
  session: Session,
  option: SessionConfigOption,
  value: string,
): Promise<void> {
  if (option.type === "boolean") {
    if (value !== "true" && value !== "false")
      throw unknownChoice(wordFor(option), value, ["true", "false"]);
    return session.setConfigOption(option.id, value === "true");
  }
  const known = configOptionValues(option);
  if (!known.includes(value)) throw unknownChoice(wordFor(option), value, known);
  await session.setConfigOption(option.id, value);
}

/** Modes and models are called by those names in messages; other options have values. */
function wordFor({ id, category }: SessionConfigOption): string {
  return category === "mode" || category === "model" ? category : `value of ${id}`;
}

export function configOptionOf(
  session: Pick<Session, "configOptions">,
  category: string,
): SessionConfigOption | undefined {
  return session.configOptions?.find((option) => option.category === category);
}

/** How many choices a message lists. Some agents offer dozens of models. */
const SHOWN_CHOICES = 20;

function unknownChoice(what: string, given: string, known: readonly string[]): CliError {
  const near = nearest(given, known);
  const rest = known.length - SHOWN_CHOICES;
  const shown = known.slice(0, SHOWN_CHOICES).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
  const list = known.length === 0 ? "there are none" : `available: ${shown}`;
  return usageError(`unknown ${what} "${given}"; ${list}`, near);
}

/** The folders of `--add-dir`. Throws a usage error for one that is not a folder. */
async function moreFolders(
  { values, io }: Pick<Context, "values" | "io">,
  { remote }: Pick<SelectedAgent, "remote">,
): Promise<readonly string[] | undefined> {
  const given = values.list("add-dir");
  if (given.length === 0) return undefined;
  // A folder on a server cannot be checked here.
  if (remote) return given;
  return Promise.all(
    given.map(async (folder) => {
      const path = resolve(io.cwd, folder);
      const isFolder = await stat(path).then(
        (found) => found.isDirectory(),
        () => false,
      );
      if (!isFolder) throw usageError(`--add-dir ${folder} is not a folder`);
      return path;
    }),
  );
}

/** The text of `--system-prompt`, or of the file that it names after an `@`. Throws a usage error. */
async function instructionsOf({
  values,
  io,
}: Pick<Context, "values" | "io">): Promise<string | undefined> {
  const given = values.text("system-prompt");
  if (given === undefined) return undefined;
  const file = given.startsWith("@") ? given.slice(1) : undefined;
  const text =
    file === undefined
      ? given
      : (await readGivenFile(absolute(file, io), file, { maxBytes: MIB })).toString("utf8");
  if (text.trim() === "") throw usageError("--system-prompt is empty");
  return text;
}

/** How long an agent may take to close and delete a session that is not needed. */
const DISCARD_MS = 3000;

/**
 * Closes a session that was only a probe, and deletes it where the agent can, so that it does not stay in
 * the agent's list. A failure has no consequences for the run, so there is none to report.
 */
export async function discardSession(
  { interrupts }: Pick<Context, "interrupts">,
  { client }: Pick<RunningAgent, "client">,
  session: Session,
): Promise<void> {
  if (session.state !== "open" || interrupts.arrived !== undefined) return;
  const options = { signal: AbortSignal.timeout(DISCARD_MS) };
  try {
    await session.close(options);
    if (agentHas(rawCapabilities(client), "sessionCapabilities.delete"))
      await client.deleteSession(session.id, options);
  } catch {
    // The agent may have ended, or may not know an empty session.
  }
}
