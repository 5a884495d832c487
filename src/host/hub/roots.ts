import { basename, join, resolve } from "node:path";
import { isAbsolutePath } from "../../protocol/acp/index.ts";
import { diskWorkspace, JailError, type Workspace } from "../../client/index.ts";
import { RpcError } from "../../transport/rpc/index.ts";
import {
  DragomanError,
  isJsonObject,
  isStringList,
  type JsonObject,
  quietly,
} from "../../base/index.ts";
import type { HubClientOptions, OpenRequest } from "./options.ts";

/** A folder of this machine that clients may work in, by name. */
export interface HubRoot {
  readonly name: string;
  /** The absolute path of the folder. */
  readonly folder: string;
}

/** A root cannot be used. The message says which one and why. */
export class RootError extends DragomanError {
  override readonly name = "RootError";

  constructor(message: string, options?: ErrorOptions) {
    super("invalid_argument", message, options);
  }
}

/** The folders that clients may work in. Their real places are fixed. */
export interface HubRoots {
  /** The roots, with their real paths. */
  readonly list: readonly HubRoot[];
  /** Pure: the names of the roots that a real path lies in, such as the `cwd` of an open session. */
  namesOf(path: string): readonly string[];
  /** Pure: a real path as clients may name it, such as `/NAME/src`. Only the last name if it is in no root. */
  nameOf(path: string): string;
  /**
   * The real path of a folder inside one of these roots (default: all). The folder is a root's name with a
   * path below it (`/NAME/src`, `NAME`), or a path on this machine. Rejects with an RpcError that names
   * `field` and no path of this machine.
   */
  folder(path: unknown, field: string, allowed?: readonly string[]): Promise<string>;
}

/** No dots alone, no separators: a name is the first part of a path. */
const ROOT_NAME = /^(?!\.+$)[\w.-]+$/;

/** Pure: reads `[NAME=]DIR`. The default name is the folder's own. Throws RootError. */
export function parseRoot(text: string, cwd: string): HubRoot {
  const [, given, path = text] = /^([^=/\\]+)=(.*)$/s.exec(text) ?? [];
  if (path === "") throw new RootError(`the root ${JSON.stringify(text)} names no folder`);
  const folder = resolve(cwd, path);
  const name = given ?? basename(folder);
  if (!ROOT_NAME.test(name)) {
    const what = given === undefined ? "needs a name, as in NAME=DIR" : "has an invalid name";
    throw new RootError(
      `the root ${JSON.stringify(text)} ${what}: use letters, digits, ".", "_" and "-"`,
    );
  }
  return { name, folder };
}

/**
 * Fixes the real places of the roots: links that appear later change nothing. Rejects with RootError if a
 * folder is missing, two roots have one name, or a name is also the beginning of the path of another root.
 */
export function openRoots(roots: readonly HubRoot[]): Promise<HubRoots> {
  return quietly(() => open(roots));
}

async function open(roots: readonly HubRoot[]): Promise<HubRoots> {
  const opened: OpenedRoot[] = [];
  for (const { name, folder } of roots) {
    if (opened.some((other) => other.name === name)) {
      throw new RootError(`two roots have the name ${name}`);
    }
    const workspace = diskWorkspace([folder], {});
    opened.push({ name, folder: await realFolder(workspace, folder, name), workspace });
  }
  const list = opened.map(({ name, folder }) => ({ name, folder }));
  for (const { name, folder } of list) {
    const clash = [...list, ...roots].find((root) => firstName(root.folder) === name);
    if (!clash || folder === `/${name}`) continue;
    throw new RootError(
      `/${name} could mean the root ${name} or a part of ${clash.folder}: give the root another name`,
    );
  }
  return {
    list,
    namesOf: (path) => list.filter(({ folder }) => isBelow(path, folder)).map(({ name }) => name),
    nameOf: (path) => nameIn(list, path),
    folder: (path, field, allowed) => {
      const usable = opened.filter(({ name }) => allowed?.includes(name) ?? true);
      return quietly(() => checkedFolder(usable, path, field));
    },
  };
}

/** A root with the workspace that judges its paths. */
interface OpenedRoot extends HubRoot {
  readonly workspace: Workspace;
}

async function realFolder(workspace: Workspace, folder: string, name: string): Promise<string> {
  try {
    await workspace.pin();
    return await openFolder(workspace, folder);
  } catch (error) {
    if (!(error instanceof JailError)) throw error;
    throw new RootError(`the folder of the root ${name} does not exist, or is not a folder`);
  }
}

/** The real path of a folder in a workspace. Rejects with JailError. */
async function openFolder(workspace: Workspace, path: string): Promise<string> {
  const real = await workspace.locate(path, "read", []);
  const folder = await workspace.folder(path, real, []);
  await folder.release();
  return folder.path;
}

function firstName(path: string): string | undefined {
  return /^\/([^/]+)/.exec(path)?.[1];
}

function isBelow(path: string, folder: string): boolean {
  if (path === folder) return true;
  return /[\\/]$/.test(folder)
    ? path.startsWith(folder)
    : path.startsWith(folder) && /^[\\/]/.test(path.slice(folder.length));
}

/** The innermost root counts. */
function nameIn(roots: readonly HubRoot[], path: string): string {
  const [root] = roots
    .filter(({ folder }) => isBelow(path, folder))
    .toSorted((one, other) => other.folder.length - one.folder.length);
  if (!root) return basename(path);
  const below = path.slice(root.folder.length).replaceAll("\\", "/").replace(/^\/?/, "/");
  return `/${root.name}${below === "/" ? "" : below}`;
}

/** Which roots a client may use. */
export interface RootCheckerOptions {
  /** The names of the roots that a client may use, as its token says. Undefined: all. */
  readonly allowed?:
    | readonly string[]
    | ((client: HubClientOptions) => readonly string[] | undefined)
    | undefined;
}

/**
 * Checks requests that open a session, for `HubOptions.checkOpen`. `cwd` and the additional directories
 * become real paths inside the roots that the client may use, as {@link HubRoots} says. MCP servers that
 * would start a command here are refused too, with an RpcError.
 */
export function rootChecker(
  roots: HubRoots,
  { allowed }: RootCheckerOptions = {},
): (request: OpenRequest) => Promise<JsonObject> {
  return async ({ params, client }) => {
    checkHubMcpServers(params["mcpServers"]);
    const names = typeof allowed === "function" ? allowed(client) : allowed;
    const cwd = await roots.folder(params["cwd"], "cwd", names);
    const more = params["additionalDirectories"];
    if (more === undefined || more === null) return { ...params, cwd };
    if (!isStringList(more)) throw refusal("additionalDirectories", "is not a list of folders");
    const additionalDirectories: string[] = [];
    for (const [index, path] of more.entries()) {
      const field = `additionalDirectories[${index}]`;
      additionalDirectories.push(await roots.folder(path, field, names));
    }
    return { ...params, cwd, additionalDirectories };
  };
}

const OUTSIDE = "is not inside a root of this server";

async function checkedFolder(
  usable: readonly OpenedRoot[],
  path: unknown,
  field: string,
): Promise<string> {
  if (typeof path !== "string" || path === "") throw refusal(field, "is missing");
  for (const { root, place } of candidates(usable, path)) {
    try {
      return await openFolder(root.workspace, place);
    } catch (error) {
      if (!(error instanceof JailError)) throw error;
      const problem = PROBLEMS[error.reason];
      if (problem !== undefined) throw refusal(field, problem);
    }
  }
  throw refusal(field, OUTSIDE);
}

/** Pure: the places that a path may mean, each with the root that it must be inside of. */
function candidates(
  usable: readonly OpenedRoot[],
  path: string,
): readonly { readonly root: OpenedRoot; readonly place: string }[] {
  const [, name, below = ""] = /^\/?([^/]+)(?:\/(.*))?$/s.exec(path) ?? [];
  const named = usable.find((root) => root.name === name);
  if (named) return [{ root: named, place: join(named.folder, below) }];
  return isAbsolutePath(path) ? usable.map((root) => ({ root, place: path })) : [];
}

/** What to say about a folder inside a root. All other reasons mean that the path leads outside. */
const PROBLEMS: Readonly<Partial<Record<JailError["reason"], string>>> = {
  "not-found": "does not exist",
  "not-a-folder": "is not a folder",
  "not-regular": "is not a folder",
  changed: "changed while it was opened",
  "no-access": "cannot be opened",
  "read-only": "cannot be opened",
  failed: "cannot be opened",
  binary: "cannot be opened",
  "too-large": "cannot be opened",
};

/** The types of MCP servers that start nothing on this machine. */
const HARMLESS_SERVERS = new Set<unknown>(["http", "sse", "acp"]);

/** Throws an RpcError if a client names MCP servers that would start a command on this machine. */
export function checkHubMcpServers(servers: unknown): void {
  if (servers === undefined || servers === null) return;
  if (!Array.isArray(servers)) throw refusal("mcpServers", "is not a list");
  const list: readonly unknown[] = servers;
  for (const [index, server] of list.entries()) {
    const isHarmless =
      isJsonObject(server) &&
      HARMLESS_SERVERS.has(server["type"]) &&
      !Object.keys(server).some((key) => key.toLowerCase() === "command");
    if (isHarmless) continue;
    throw refusal(`mcpServers[${index}]`, "would start a command on the server: use http");
  }
}

function refusal(field: string, problem: string): RpcError {
  return RpcError.invalidParams(`${field} ${problem}`, { field });
}
