import { randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { lstat, readdir, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  complete,
  isJsonObject,
  numberField,
  runningSince,
  stringField,
  writeAtomically,
  messageOf,
} from "../../../base/index.ts";
import { readIfPresent, sha256Hex } from "../settings/files.ts";
import { HUB_PROTOCOL } from "./frames.ts";
import { usageError } from "../shell/exit.ts";
import type { Context } from "../context/context.ts";
import { NoRuntimeFolderError, runtimeFolders, foreignTo } from "./hub-folders.ts";

/**
 * A hub, as its file in the runtime folder describes it. It is both its lock and its address. No other process can be
 * taken for its own.
 */
export interface HubRecord {
  readonly pid: number;
  /** In clock ticks since the machine started; 0 if the system does not report it. */
  readonly startedAt: number;
  /** The start of the machine; empty if the system does not report it. */
  readonly bootId: string;
  /** In another namespace, the same pid is another process. */
  readonly pidNamespace: string;
  /** A random name, which no other hub ever has. */
  readonly id: string;
  readonly version: string;
  readonly protocol: number;
  /** `starting`: it may still give way to another. `draining`: it takes no new clients. */
  readonly state: "starting" | "ready" | "draining";
  readonly socket: string;
  /** Clients prove with it that they may read this file. */
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** A record with the time of its last heartbeat, in milliseconds since the epoch. */
export interface FoundRecord extends HubRecord {
  readonly file: string;
  readonly beatAt: number;
}

/** How often a hub touches its record. */
export const HEARTBEAT_MS = 5000;

/** A hub whose process cannot be seen from here is dead after this long without a heartbeat. */
const SILENT_MS = 15_000;

const SUFFIX = ".json";

/** A version as a part of a file name that is never too long for a socket. Pure. */
function versionName(version: string): string {
  return /^[\w.+-]{1,16}$/.test(version) ? version : sha256Hex(version).slice(0, 12);
}

/** All hubs of this user that have a record, the newest first. Records of others are left out. */
export async function readRecords(folder: string): Promise<readonly FoundRecord[]> {
  const names = await readdir(folder);
  const files = names.filter((name) => name.startsWith("hub-") && name.endsWith(SUFFIX));
  const found = await Promise.all(files.map((name) => readRecord(join(folder, name))));
  return found.flatMap((record) => record ?? []).toSorted((a, b) => b.since - a.since);
}

async function readRecord(file: string): Promise<FoundRecord | undefined> {
  try {
    const stat = await lstat(file);
    if (process.platform !== "win32" && foreignTo(stat) !== undefined) return undefined;
    const record = parseRecord((await readIfPresent(file)) ?? "");
    return record && { ...record, file, beatAt: stat.mtimeMs };
  } catch {
    // It was removed meanwhile, or is not a record.
    return undefined;
  }
}

/** Parses the text of a record; undefined if it is not one. Throws if it is not JSON. Pure. */
function parseRecord(text: string): HubRecord | undefined {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) return undefined;
  const { state } = value;
  if (state !== "starting" && state !== "ready" && state !== "draining") return undefined;
  const fields = complete({
    id: stringField(value, "id"),
    version: stringField(value, "version"),
    protocol: numberField(value, "protocol"),
    socket: stringField(value, "socket"),
    token: stringField(value, "token"),
    since: numberField(value, "since"),
    pid: numberField(value, "pid"),
    startedAt: numberField(value, "startedAt"),
    bootId: stringField(value, "bootId"),
    pidNamespace: stringField(value, "pidNamespace"),
  });
  return fields && { state, ...fields };
}

/**
 * Whether the process of a record is running. Where it can be seen, its pid and start time decide, so
 * that another process with the same pid is not taken for it. Elsewhere its heartbeat decides.
 */
export function isRunning(record: FoundRecord, now: number = Date.now()): boolean {
  const here = machine();
  if (record.bootId !== here.bootId) return false;
  if (record.pidNamespace === here.pidNamespace && record.startedAt > 0)
    return runningSince(record.pid) === record.startedAt;
  return now - record.beatAt < SILENT_MS;
}

function machine(): Pick<HubRecord, "bootId" | "pidNamespace"> {
  if (process.platform !== "linux") return { bootId: "", pidNamespace: "" };
  try {
    return {
      bootId: readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim(),
      pidNamespace: readlinkSync("/proc/self/ns/pid"),
    };
  } catch {
    return { bootId: "", pidNamespace: "" };
  }
}

/** The record of this process, which is the hub of its version while it has it. */
export class Claim {
  readonly #folder: string;
  record: HubRecord;

  constructor(folder: string, record: HubRecord) {
    this.#folder = folder;
    this.record = record;
  }

  async change(state: HubRecord["state"]): Promise<void> {
    this.record = { ...this.record, state };
    await this.write();
  }

  async write(): Promise<void> {
    await writeAtomically(this.#file(), `${JSON.stringify(this.record)}\n`);
  }

  /** Shows clients that cannot see this process that it is running. Never rejects. */
  async beat(): Promise<void> {
    const now = new Date();
    await utimes(this.#file(), now, now).catch(() => {});
  }

  /** Never rejects. */
  async remove(): Promise<void> {
    await rm(this.#file(), { force: true }).catch(() => {});
  }

  #file(): string {
    return join(this.#folder, recordName(this.record));
  }
}

function recordName({ version, id }: Pick<HubRecord, "version" | "id">): string {
  return `hub-${versionName(version)}.${id}${SUFFIX}`;
}

/** How long to wait for another hub that is starting to decide whether it gives way. */
const DECISION_MS = 10_000;
const DECISION_STEP_MS = 10;

/**
 * Makes this process the hub of its version. Resolves with undefined if another one is.
 *
 * Every hub has files of its own names, so that no file is ever taken over, and a file is removed only
 * if its process is dead. Each hub first writes its record and then looks for others, so of two hubs that
 * start at once at least one sees the other. One that sees a hub that is ready, or one with a smaller
 * name, gives way. One that sees a larger name waits until that hub has decided.
 */
export async function claimHub(
  folder: string,
  version: string,
  platform: NodeJS.Platform = process.platform,
): Promise<Claim | undefined> {
  const id = randomBytes(4).toString("hex");
  const name = `hub-${versionName(version)}.${id}.sock`;
  const claim = new Claim(folder, {
    id,
    version,
    protocol: HUB_PROTOCOL,
    state: "starting",
    socket: platform === "win32" ? String.raw`\\.\pipe\dragoman-${name}` : join(folder, name),
    token: randomBytes(32).toString("hex"),
    since: Date.now(),
    pid: process.pid,
    startedAt: runningSince(process.pid) ?? 0,
    ...machine(),
  });
  await claim.write();
  for (const until = Date.now() + DECISION_MS; ;) {
    const others = await otherHubs(folder, claim.record);
    if (others.length === 0) return claim;
    const isDecided = others.some((other) => other.state === "ready" || other.id < id);
    if (isDecided || Date.now() > until) {
      await claim.remove();
      return undefined;
    }
    await delay(DECISION_STEP_MS);
  }
}

/** The running hubs of the same version that take clients, or may do so soon. */
async function otherHubs(folder: string, own: HubRecord): Promise<readonly FoundRecord[]> {
  const records = await readRecords(folder);
  return records.filter(
    (other) =>
      other.id !== own.id &&
      other.version === own.version &&
      other.state !== "draining" &&
      isRunning(other),
  );
}

/** Removes what hubs left behind that were killed. Never rejects. */
export async function removeDeadHubs(folder: string): Promise<void> {
  const records = await readRecords(folder).catch(() => []);
  for (const record of records) {
    if (isRunning(record)) continue;
    const files = [record.file, ...(isSocketIn(folder, record.socket) ? [record.socket] : [])];
    for (const file of files) await rm(file, { force: true }).catch(() => {});
  }
}

/** A record names the file of its socket, and only one in this folder is removed. */
function isSocketIn(folder: string, path: string): boolean {
  return path.startsWith(join(folder, "hub-")) && path.endsWith(".sock");
}

/** All running hubs of this user. Throws a usage error if the folder belongs to others. */
export async function hubsOf({ io }: Pick<Context, "io">): Promise<readonly FoundRecord[]> {
  try {
    const folders = await runtimeFolders(io);
    const hubs = await Promise.all(folders.map((folder) => runningHubs(folder)));
    return hubs.flat().filter(({ state }) => state !== "starting");
  } catch (error) {
    if (error instanceof NoRuntimeFolderError) throw usageError(messageOf(error));
    throw error;
  }
}

/** The running hubs of this user, of every version, the newest first. */
export async function runningHubs(folder: string): Promise<readonly FoundRecord[]> {
  return (await readRecords(folder)).filter((record) => isRunning(record));
}
