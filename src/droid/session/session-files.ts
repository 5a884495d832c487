/** Sessions as Droid keeps them on disk: there is no method that lists them. */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { booleanField, decodeLine, stringField } from "../../wire/index.ts";
import { DroidError } from "../errors.ts";

/** Where the sessions are. */
export interface SessionFilesOptions {
  /** The home folder whose `.factory/sessions` is meant; this user's unless given. */
  readonly home?: string;
}

/** Which sessions are listed. */
export interface ListOptions extends SessionFilesOptions {
  /** Only sessions of this folder. */
  readonly cwd?: string;
}

/** A session, from the first line of its file. */
export interface SessionSummary {
  readonly sessionId: string;
  /** The folder the session worked in; undefined if the file does not say. */
  readonly cwd: string | undefined;
  readonly title: string | undefined;
  /** When the file was last written to. */
  readonly updatedAt: Date;
  /** The session it was forked from. */
  readonly parentId: string | undefined;
  readonly path: string;
}

/** What the first line of a session's file says. */
export type SessionFileStart = Pick<SessionSummary, "sessionId" | "cwd" | "title" | "parentId">;

const SUFFIX = ".jsonl";
const FIRST_READ_BYTES = 4096;
/** How long files are read before everything else in this process has its turn. */
const SLICE_MS = 5;
/** What Droid calls a session nobody has named; the first message says more. */
const UNNAMED = "New Session";

/** Pure: reads a session's first line; undefined if it is none. */
export function readSessionStart(line: string): SessionFileStart | undefined {
  const decoded = decodeLine(line);
  if (decoded.kind !== "frame" || decoded.frame["type"] !== "session_start") return undefined;
  const { frame } = decoded;
  const sessionId = stringField(frame, "id");
  if (sessionId === undefined) return undefined;
  return {
    sessionId,
    cwd: stringField(frame, "cwd"),
    title: titleIn(stringField(frame, "title"), stringField(frame, "sessionTitle"), frame),
    parentId: stringField(frame, "parent"),
  };
}

/** Up to 0.117 `sessionTitle` has the given name and `title` the first message; later there is only `title`. */
function titleIn(
  title: string | undefined,
  sessionTitle: string | undefined,
  frame: Parameters<typeof booleanField>[0],
): string | undefined {
  const isGiven = booleanField(frame, "isSessionTitleManuallySet") === true;
  if (sessionTitle !== undefined && (isGiven || sessionTitle !== UNNAMED)) return sessionTitle;
  return title;
}

/**
 * The sessions on disk, newest first. Only the first line of each file is read. A folder that is
 * not there holds no sessions; files that are no sessions are left out.
 */
export async function listSessions(options: ListOptions = {}): Promise<readonly SessionSummary[]> {
  const paths = await sessionPaths(sessionsFolder(options));
  const buffer = Buffer.allocUnsafe(FIRST_READ_BYTES);
  const found: SessionSummary[] = [];
  let sliceEnd = performance.now() + SLICE_MS;
  for (const path of paths) {
    const summary = summarize(path, buffer);
    if (summary && (options.cwd === undefined || summary.cwd === options.cwd)) found.push(summary);
    if (performance.now() < sliceEnd) continue;
    await setImmediate();
    sliceEnd = performance.now() + SLICE_MS;
  }
  return found.toSorted(
    (a, b) =>
      b.updatedAt.getTime() - a.updatedAt.getTime() || a.sessionId.localeCompare(b.sessionId),
  );
}

async function sessionPaths(root: string): Promise<readonly string[]> {
  const folders = await readdir(root, { withFileTypes: true }).catch(() => []);
  const lists = await Promise.all(
    folders.map(async (folder) => {
      if (!folder.isDirectory()) return [];
      const path = join(root, folder.name);
      const names = await readdir(path).catch(() => []);
      return names.filter((name) => name.endsWith(SUFFIX)).map((name) => `${path}/${name}`);
    }),
  );
  return lists.flat();
}

/** Never waits for anybody: what looks like a session may be a pipe. */
const READ_ONLY = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Synchronous: handing four short calls for each file to the system's threads costs three times as much. */
function summarize(path: string, buffer: Buffer): SessionSummary | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, READ_ONLY);
    const start = readSessionStart(firstLine(file, buffer));
    return start && { ...start, updatedAt: fstatSync(file).mtime, path };
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** A first message used as a title may be long: the buffer grows until the line is in it. */
function firstLine(file: number, first: Buffer): string {
  let buffer = first;
  let filled = 0;
  for (;;) {
    const count = readSync(file, buffer, filled, buffer.length - filled, filled);
    const end = buffer.subarray(0, filled + count).indexOf(0x0a, filled);
    if (end !== -1) return buffer.toString("utf8", 0, end);
    filled += count;
    if (filled < buffer.length) return buffer.toString("utf8", 0, filled);
    const larger = Buffer.allocUnsafe(buffer.length * 4);
    buffer.copy(larger);
    buffer = larger;
  }
}

/** Session ids are file names here: one that could lead elsewhere is none. */
const SAFE_ID = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/**
 * Deletes a session: its transcript, settings, their backups and its attachments, nothing else.
 * Resolves with the paths that were removed; rejects with a DroidError (`session_not_found`) if
 * there is no such session. The session must not be open in a running Droid.
 */
export async function deleteSession(
  sessionId: string,
  options: SessionFilesOptions = {},
): Promise<readonly string[]> {
  const root = sessionsFolder(options);
  const transcripts = SAFE_ID.test(sessionId) ? await sessionPaths(root) : [];
  const folders = transcripts
    .filter((path) => path.endsWith(`/${sessionId}${SUFFIX}`))
    .map((path) => path.slice(0, -(sessionId.length + SUFFIX.length + 1)));
  if (folders.length === 0)
    throw new DroidError("session_not_found", `there is no session ${sessionId} in ${root}`);
  const removed: string[] = [];
  for (const folder of folders) {
    const names = await readdir(folder);
    for (const name of names.filter((one) => belongsTo(one, sessionId))) {
      const path = join(folder, name);
      await rm(path, { force: true });
      removed.push(path);
    }
  }
  const attachments = join(root, sessionId);
  if ((await readdir(attachments).catch(() => undefined)) !== undefined) {
    await rm(attachments, { recursive: true, force: true });
    removed.push(attachments);
  }
  return removed;
}

/** Pure: whether a file in a folder of sessions is this session's. */
export function belongsTo(name: string, sessionId: string): boolean {
  const files = [`${sessionId}${SUFFIX}`, `${sessionId}.settings.json`];
  return files.some((file) => name === file || name === `${file}.bak`);
}

function sessionsFolder({ home = homedir() }: SessionFilesOptions): string {
  return join(home, ".factory", "sessions");
}

/** One session's summary; undefined if there is none. */
export async function findSession(
  sessionId: string,
  options: SessionFilesOptions = {},
): Promise<SessionSummary | undefined> {
  if (!SAFE_ID.test(sessionId)) return undefined;
  const paths = await sessionPaths(sessionsFolder(options));
  const path = paths.find((one) => one.endsWith(`/${sessionId}${SUFFIX}`));
  return path === undefined ? undefined : summarize(path, Buffer.allocUnsafe(FIRST_READ_BYTES));
}
