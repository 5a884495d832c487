import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { randomUUID } from "node:crypto";
import { spawn } from "node:child_process";
import {
  messageOf,
  stateFolder,
  writeAtomically,
  quiet,
  stringField,
  within,
  deferred,
  hasCode,
} from "../../../base/index.ts";
import { type Channel, connectSocket, type CloseReason } from "../../../transport/wire/index.ts";
import type { Context } from "../context/context.ts";
import { warmAgent, isInsideAgent } from "./warm-agent.ts";
import { readIfPresent } from "../settings/files.ts";
import type { Io, Environment } from "../shell/io.ts";
import {
  type HubRequest,
  HUB_PROTOCOL,
  isSameSecret,
  proofOf,
  readHubHello,
  HandshakeChannel,
  HandshakeError,
  HubLostError,
  HubRefusedError,
} from "./frames.ts";
import { type FoundRecord, type HubRecord, runningHubs } from "./records.ts";
import type { Chosen } from "../agents/select.ts";
import { runtimeFolder, foreignTo } from "./hub-folders.ts";
import { lstat } from "node:fs/promises";

/**
 * Connects to a warm agent: to one that runs already, or to one that the hub starts now. Resolves with
 * undefined if the agent has to be started without a hub, and prints the reason.
 */
export async function openWarm(
  { io, cwd, renderer }: Context,
  { agent, mcpServers }: Chosen,
  secrets: readonly string[],
  options: { readonly warmMs: number; readonly fresh: boolean },
): Promise<Channel | undefined> {
  const described = await warmAgent(io, agent, { cwd, mcpServers }, secrets);
  // The usual start reports that the command is missing.
  if (described === undefined) return undefined;
  try {
    return await reachHub(io, { want: "agent", agent: described, ...options });
  } catch (error) {
    renderer.note(`${agent.name} is not kept warm: ${messageOf(error)}`);
    return undefined;
  }
}

/** Mentions `--warm` to a user at a terminal, once and never again. Never rejects. */
export async function adviseOnce(
  { io, mode, renderer }: Pick<Context, "io" | "mode" | "renderer">,
  agent: string,
  ms: number,
): Promise<void> {
  if (!io.stderr.isTty || mode !== "text") return;
  const file = join(stateFolder(io), "advice", "warm");
  try {
    if ((await readIfPresent(file)) !== undefined) return;
    // Not before it is remembered: the line would come again and again.
    await writeAtomically(file, `${new Date(io.now()).toISOString()}\n`);
  } catch {
    return;
  }
  const seconds = (ms / 1000).toFixed(1);
  renderer.note(
    `starting ${agent} took ${seconds} s; with --warm 10m it stays, and the next prompt starts at once`,
  );
}

/** How long another hub that is starting may take, and how often to look for it. */
const STARTING_MS = 15_000;
const STARTING_STEP_MS = 25;

/**
 * Asks the hub of this version for something, and starts the hub if it is not running. Rejects with
 * NoRuntimeFolderError, LaunchError, or an error of `askHub`.
 */
async function reachHub(io: Io, request: HubRequest): Promise<HandshakeChannel> {
  const folder = await runtimeFolder(io);
  for (const until = Date.now() + STARTING_MS; ;) {
    const hubs = await runningHubs(folder);
    const own = hubs.find(({ version, state }) => version === io.version && state === "ready");
    // The hub may end before it answers, because it was idle. Then its record is gone as well.
    const answered =
      own && (await askHub(own, io.version, request).catch(undefinedIfGone(folder, own)));
    if (answered) return answered.channel;
    if (Date.now() > until) throw new LaunchError("no hub listens");
    const problem = launchProblem(io);
    if (problem !== undefined) throw new LaunchError(problem);
    if ((await launchHub(io, folder)) === "ready") drainOlder(io, hubs);
    // Another hub is starting at the same time.
    else await delay(STARTING_STEP_MS);
  }
}

/** Why a hub that this process starts would not stay; undefined if it would. */
function launchProblem({ env }: Io): string | undefined {
  if (isInsideAgent(env)) return "a hub would end together with the agent that runs this command";
  return process.pid === 1 ? "a hub would end together with this container" : undefined;
}

/** Ignores the failure of a hub that has ended, and rethrows every other. */
function undefinedIfGone(folder: string, own: FoundRecord) {
  return async (error: unknown): Promise<undefined> => {
    const now = await runningHubs(folder);
    if (now.some(({ id, state }) => id === own.id && state === "ready")) throw error;
  };
}

/** Older hubs finish their turns and end. Never rejects. */
function drainOlder(io: Io, hubs: readonly FoundRecord[]): void {
  for (const hub of hubs) {
    if (hub.state !== "ready" || !isOlderHub(hub.version, io.version)) continue;
    void askHub(hub, io.version, { want: "stop", waitMs: Number.MAX_SAFE_INTEGER }).then(
      ({ channel }) => channel.close(),
      () => {},
    );
  }
}

export function isOlderHub(version: string, than: string): boolean {
  const [one = "", other = ""] = [version, than].map((text) => text.split(/[-+]/)[0]);
  const order = one.localeCompare(other, "en", { numeric: true });
  // A version before a release, such as 1.0.0-rc.1, is older than the release.
  return order === 0 ? version.includes("-") && !than.includes("-") : order < 0;
}

/** How long a hub may take to answer. It answers at once, unless its process is stopped. */
const ANSWER_MS = 10_000;

/**
 * Connects to a hub and asks for something. Resolves with its answer, and with the connection, which the
 * caller closes. Rejects with ConnectError if no process listens, with HubRefusedError, or with
 * HandshakeError.
 */
export async function askHub(
  record: HubRecord,
  version: string,
  request: HubRequest,
): Promise<{ readonly answer: unknown; readonly channel: HandshakeChannel }> {
  const problem = await socketProblem(record.socket);
  if (problem !== undefined) throw new HandshakeError(problem);
  const channel = new HandshakeChannel(
    await connectSocket({ path: record.socket }),
    lostUnlessClosed,
  );
  try {
    const asked = quiet(converse(channel, record, version, request));
    if (!(await within(asked, ANSWER_MS))) throw new HandshakeError("the hub does not answer");
    return { answer: await asked, channel };
  } catch (error) {
    await channel.close();
    throw error;
  }
}

async function converse(
  channel: HandshakeChannel,
  { token }: HubRecord,
  version: string,
  request: HubRequest,
): Promise<unknown> {
  const nonce = randomUUID();
  const hello = { protocol: HUB_PROTOCOL, version, token, nonce };
  await channel.send(JSON.stringify({ hello }));
  const theirs = readHubHello(await channel.frame());
  if (theirs === undefined || !isSameSecret(theirs.proof, proofOf(token, nonce)))
    throw new HandshakeError("the process that listens there is not the hub");
  if (request.want !== "stop" && theirs.protocol !== HUB_PROTOCOL)
    throw new HubRefusedError(`the hub is of version ${theirs.version}`);
  await channel.send(JSON.stringify(request));
  const frame = await channel.frame();
  const refused = stringField(frame, "refused");
  if (refused !== undefined) throw new HubRefusedError(refused);
  return frame["ok"];
}

/** Losing the hub is different from an agent that ends the connection. */
function lostUnlessClosed(reason: CloseReason): CloseReason {
  return reason.kind === "closed" ? reason : { kind: "failed", error: new HubLostError() };
}

/** The command that runs a hub in the background. It is for Dragoman itself. */
const HUB_COMMAND = "warm-hub";

/** A hub could not be started. The message says why. */
class LaunchError extends Error {
  override readonly name = "LaunchError";
}

/** How long a new hub may take until it listens. */
const LAUNCH_MS = 15_000;

/** Everything else comes from the callers, with each agent. */
const HUB_VARIABLES = new Set(
  [
    ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TMPDIR", "XDG_RUNTIME_DIR"],
    ["XDG_STATE_HOME", "SystemRoot", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA"],
  ].flat(),
);

function hubEnvironment(env: Environment): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => HUB_VARIABLES.has(name)));
}

/**
 * Starts a hub in a session of its own, without any open file of this process. Resolves once the hub
 * listens (`ready`), or has given way to another (`taken`). Rejects with LaunchError.
 */
async function launchHub(io: Io, folder: string): Promise<"ready" | "taken"> {
  const { node, dragoman } = io.self;
  const child = spawn(node, [...dragoman, HUB_COMMAND, folder], {
    cwd: folder,
    env: { ...hubEnvironment(io.env) },
    detached: true,
    windowsHide: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let problem = "";
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (problem += piece));
  const report = deferred<string>();
  child.once("error", (error) => report.reject(new LaunchError(error.message)));
  child.stdout.setEncoding("utf8").once("data", (word: string) => report.resolve(word.trim()));
  child.once("close", () => report.resolve(""));
  try {
    if (!(await within(report.promise, LAUNCH_MS)))
      throw new LaunchError(`the hub did not listen after ${LAUNCH_MS / 1000} s`);
    const word = await report.promise;
    if (word === "ready" || word === "taken") return word;
    throw new LaunchError(`the hub did not start: ${problem.trim().split("\n").at(-1) ?? ""}`);
  } finally {
    child.unref();
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

/** Why the socket of a hub must not be used; undefined if it may. */
export async function socketProblem(path: string): Promise<string | undefined> {
  if (process.platform === "win32") return undefined;
  try {
    const found = await lstat(path);
    if (!found.isSocket()) return `${path} is not a socket`;
    const problem = foreignTo(found);
    return problem === undefined ? undefined : `${path} ${problem}`;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return `${path} does not exist`;
    throw error;
  }
}
