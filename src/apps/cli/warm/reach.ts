import { setTimeout as delay } from "node:timers/promises";
import type { Io } from "../shell/io.ts";
import { askHub } from "./client.ts";
import type { HubRequest } from "./frames.ts";
import type { HandshakeChannel } from "./handshake-channel.ts";
import { isInsideAgent } from "./key.ts";
import { LaunchError, launchHub } from "./launch.ts";
import { type FoundRecord, isRunning, readRecords } from "./records.ts";
import { runtimeFolder } from "./runtime-folder.ts";

/** How long another hub that is starting may take, and how often to look for it. */
const STARTING_MS = 15_000;
const STARTING_STEP_MS = 25;

/** The running hubs of this user, of every version, the newest first. */
export async function runningHubs(folder: string): Promise<readonly FoundRecord[]> {
  return (await readRecords(folder)).filter((record) => isRunning(record));
}

/**
 * Asks the hub of this version for something, and starts the hub if it is not running. Rejects with
 * NoRuntimeFolderError, LaunchError, or an error of `askHub`.
 */
export async function reachHub(io: Io, request: HubRequest): Promise<HandshakeChannel> {
  const folder = await runtimeFolder(io);
  for (const until = Date.now() + STARTING_MS; ;) {
    const hubs = await runningHubs(folder);
    const own = hubs.find(({ version, state }) => version === io.version && state === "ready");
    // The hub may end before it answers, because it was idle. Then its record is gone as well.
    const answered = own && (await askHub(own, io.version, request).catch(unlessGone(folder, own)));
    if (answered) return answered.channel;
    if (Date.now() > until) throw new LaunchError("no hub listens");
    const problem = mayNotLaunch(io);
    if (problem !== undefined) throw new LaunchError(problem);
    if ((await launchHub(io, folder)) === "ready") drainOlder(io, hubs);
    // Another hub is starting at the same time.
    else await delay(STARTING_STEP_MS);
  }
}

/** Why a hub that this process starts would not stay; undefined if it would. */
function mayNotLaunch({ env }: Io): string | undefined {
  if (isInsideAgent(env)) return "a hub would end together with the agent that runs this command";
  return process.pid === 1 ? "a hub would end together with this container" : undefined;
}

/** Ignores the failure of a hub that has ended, and rethrows every other. */
function unlessGone(folder: string, own: FoundRecord) {
  return async (error: unknown): Promise<undefined> => {
    const now = await runningHubs(folder);
    if (now.some(({ id, state }) => id === own.id && state === "ready")) throw error;
  };
}

/** Older hubs finish their turns and end. Never rejects. */
function drainOlder(io: Io, hubs: readonly FoundRecord[]): void {
  for (const hub of hubs) {
    if (hub.state !== "ready" || !isOlder(hub.version, io.version)) continue;
    void askHub(hub, io.version, { want: "stop", waitMs: Number.MAX_SAFE_INTEGER }).then(
      ({ channel }) => channel.close(),
      () => {},
    );
  }
}

/** Whether a version is older than another one. Pure. */
export function isOlder(version: string, than: string): boolean {
  const [one, other] = [version, than].map((text) =>
    (text.split(/[-+]/)[0] ?? "").split(".").map(Number),
  );
  for (const [at, number] of (one ?? []).entries()) {
    const against = other?.[at] ?? 0;
    if (number !== against) return number < against;
  }
  // A version before a release, such as 1.0.0-rc.1, is older than the release.
  return version.includes("-") && !than.includes("-");
}
