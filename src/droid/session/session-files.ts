/** Reads the sessions that Droid stores on disk, because Droid has no method that lists them. */
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import {
  booleanField,
  type JsonObject,
  objectsField,
  parseJsonObject,
  stringField,
  toError,
} from "../../base/index.ts";
import { DroidError } from "../errors.ts";
import type { WaitOptions } from "../wait.ts";

/** Where to find the sessions. */
export interface SessionFilesOptions extends WaitOptions {
  /** The home folder that contains `.factory/sessions`. Default: the home folder of the current user. */
  readonly home?: string | undefined;
}

/** Which sessions to list. */
export interface ListOptions extends SessionFilesOptions {
  /** Only sessions that worked in this folder. */
  readonly cwd?: string | undefined;
  /** Only sessions that have a tag of this name. Reads the settings of each session too. */
  readonly tag?: string | undefined;
}

/** A session, as described by the first line of its file. */
export interface SessionSummary {
  readonly sessionId: string;
  /** The folder the session worked in; undefined if the file does not contain it. */
  readonly cwd: string | undefined;
  readonly title: string | undefined;
  /** When the file was last written. */
  readonly updatedAt: Date;
  /** The session it was forked from. */
  readonly parentId: string | undefined;
  readonly path: string;
}

/** The contents of the first line of a session file. */
type SessionFileStart = Pick<SessionSummary, "sessionId" | "cwd" | "title" | "parentId">;

const SUFFIX = ".jsonl";
const FIRST_READ_BYTES = 4096;
/** How long to read files before yielding to the event loop. */
const SLICE_MS = 5;
/** Droid's title for an unnamed session. The first message is more useful. */
const UNNAMED = "New Session";

/** Pure: reads the first line of a session file; undefined if it is not one. */
export function readSessionStart(line: string): SessionFileStart | undefined {
  const frame = parseJsonObject(line);
  if (frame?.["type"] !== "session_start") return undefined;
  const sessionId = stringField(frame, "id");
  if (sessionId === undefined) return undefined;
  return {
    sessionId,
    cwd: stringField(frame, "cwd"),
    title: titleIn(frame),
    parentId: stringField(frame, "parent"),
  };
}

/**
 * Up to 0.117 `sessionTitle` has the chosen title and `title` the first message. Later versions
 * have only `title`.
 */
function titleIn(frame: JsonObject): string | undefined {
  const sessionTitle = stringField(frame, "sessionTitle");
  const isChosen = booleanField(frame, "isSessionTitleManuallySet") === true;
  if (sessionTitle !== undefined && (isChosen || sessionTitle !== UNNAMED)) return sessionTitle;
  return stringField(frame, "title");
}

/**
 * Lists the sessions on disk, newest first. Reads only the first line of each file. Returns an empty
 * list if the folder does not exist, and skips files that are not sessions.
 */
export async function listSessions(options: ListOptions = {}): Promise<readonly SessionSummary[]> {
  const paths = await sessionPaths(sessionsFolder(options));
  const buffer = Buffer.allocUnsafe(FIRST_READ_BYTES);
  const found: SessionSummary[] = [];
  let sliceEnd = performance.now() + SLICE_MS;
  for (const path of paths) {
    const summary = summarize(path, buffer);
    if (summary && isWanted(summary, options)) found.push(summary);
    if (performance.now() < sliceEnd) continue;
    await setImmediate();
    sliceEnd = performance.now() + SLICE_MS;
  }
  return found.toSorted(
    (a, b) =>
      b.updatedAt.getTime() - a.updatedAt.getTime() || a.sessionId.localeCompare(b.sessionId),
  );
}

function isWanted({ cwd, path }: SessionSummary, options: ListOptions): boolean {
  if (options.cwd !== undefined && cwd !== options.cwd) return false;
  return options.tag === undefined || tagNames(path).includes(options.tag);
}

/** Real files have a few kilobytes. A larger one is not read. */
const MAX_SETTINGS_BYTES = 1024 * 1024;

/** The names of a session's tags, from its settings file; none if the file cannot be read. */
function tagNames(path: string): readonly string[] {
  const settings = `${path.slice(0, -SUFFIX.length)}.settings.json`;
  const names = whileOpen(settings, (file) => {
    const info = fstatSync(file);
    if (!info.isFile() || info.size > MAX_SETTINGS_BYTES) return [];
    const content = parseJsonObject(readFileSync(file, "utf8")) ?? {};
    return objectsField(content, "tags").flatMap((tag) => stringField(tag, "name") ?? []);
  });
  return names ?? [];
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

/** Non-blocking, because a path that looks like a session file may be a pipe. */
const READ_ONLY = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

function summarize(path: string, buffer: Buffer): SessionSummary | undefined {
  return whileOpen(path, (file) => {
    const start = readSessionStart(firstLine(file, buffer));
    return start && { ...start, updatedAt: fstatSync(file).mtime, path };
  });
}

/**
 * Reads an open file; undefined if that fails. Synchronous, because four short asynchronous calls per
 * file take three times as long.
 */
function whileOpen<T>(path: string, read: (file: number) => T): T | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, READ_ONLY);
    return read(file);
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The buffer grows until it holds the line, because a first message used as a title may be long. */
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

/** Session ids are file names here. An id that could lead to another folder is not valid. */
const SAFE_ID = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/**
 * Deletes a session: its transcript and settings, their backups, and its attachments. Resolves with
 * the deleted paths. Rejects with a DroidError: `session_not_found` if the session does not exist,
 * `remote_error` if a file cannot be deleted; others may be deleted by then. The session must not be
 * open in a running Droid.
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
  try {
    return await deleteFiles(sessionId, root, folders);
  } catch (cause) {
    const { message } = toError(cause);
    throw new DroidError("remote_error", `could not delete the session ${sessionId}: ${message}`, {
      cause,
    });
  }
}

async function deleteFiles(
  sessionId: string,
  root: string,
  folders: readonly string[],
): Promise<readonly string[]> {
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

/** Pure: whether a file in a folder of sessions belongs to this session. */
export function belongsTo(name: string, sessionId: string): boolean {
  const files = [`${sessionId}${SUFFIX}`, `${sessionId}.settings.json`];
  return files.some((file) => name === file || name === `${file}.bak`);
}

function sessionsFolder({ home = homedir() }: SessionFilesOptions): string {
  return join(home, ".factory", "sessions");
}

/** The summary of one session; undefined if it does not exist. */
export async function findSession(
  sessionId: string,
  options: SessionFilesOptions = {},
): Promise<SessionSummary | undefined> {
  if (!SAFE_ID.test(sessionId)) return undefined;
  const paths = await sessionPaths(sessionsFolder(options));
  const path = paths.find((one) => one.endsWith(`/${sessionId}${SUFFIX}`));
  return path === undefined ? undefined : summarize(path, Buffer.allocUnsafe(FIRST_READ_BYTES));
}
