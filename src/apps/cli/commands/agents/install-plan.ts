import { isAbsolute, normalize, sep } from "node:path";
import {
  isStringMap,
  isJsonObject,
  isStringList,
  type JsonObject,
  nearest,
} from "../../../../base/index.ts";
import { usageError, type CliError } from "../../shell/exit.ts";
import { catalogueEntry } from "../../agents/catalogue.ts";
import { AGENT_NAME } from "../../agents/installed.ts";

export type InstallSource =
  | {
      readonly kind: "npm";
      readonly package: string;
      /** The expected hash; undefined if only the package registry knows it. */
      readonly integrity: string | undefined;
      /** A file of the package that must run once, after it was verified. */
      readonly setUp?: string | undefined;
      /** The program to start; undefined for the package's own choice. */
      readonly program: string | undefined;
    }
  | { readonly kind: "uv"; readonly package: string; readonly program: string }
  | {
      readonly kind: "archive";
      readonly url: string;
      readonly sha256: string;
      readonly program: string;
    };

export interface InstallPlan {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly source: InstallSource;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The registry, as the user named it; undefined for the catalogue. */
  readonly registry: string | undefined;
}

export function catalogueInstall(name: string): InstallPlan {
  const entry = catalogueEntry(name);
  if (entry === undefined) {
    throw usageError(
      `unknown agent "${name}": it is not in the catalogue`,
      "--registry URL to look it up in a registry",
    );
  }
  if (entry.npm === undefined || entry.tried === undefined || typeof entry.command !== "string")
    throw usageError(`Dragoman does not install ${name} itself`, entry.install);
  return {
    name,
    title: entry.title,
    version: entry.tried,
    source: { kind: "npm", ...entry.npm, program: entry.command },
    args: entry.args,
    env: entry.env ?? {},
    registry: undefined,
  };
}

interface RegistryQuery {
  readonly name: string;
  readonly registry: string;
  /** Such as `linux-x86_64`; undefined if the registry has no name for this machine. */
  readonly platform: string | undefined;
  readonly sha256: string | undefined;
}

const PACKAGE = /^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*$/i;
const VERSION = /^\d+\.\d+\.\d+[\w.+-]*$/;
const SHA256 = /^[0-9a-f]{64}$/i;

/**
 * The plan for an agent of a registry in the official format. Pure. Everything in it comes from someone
 * else, so that every text that becomes part of a command is checked. Throws a usage error if the
 * registry does not have the agent, or not for this machine.
 */
export function registryInstall(value: unknown, query: RegistryQuery): InstallPlan {
  const { name, registry } = query;
  const agents = isJsonObject(value) ? value["agents"] : undefined;
  if (!Array.isArray(agents))
    throw usageError(`${registry} is not an agent registry: it has no "agents"`);
  const entries = agents.filter(isJsonObject);
  const entry = entries.find((candidate) => candidate["id"] === name);
  if (entry === undefined) throw notListed(entries, query);
  const fail = (problem: string): never => {
    throw usageError(`${registry}: ${name} ${problem}`);
  };
  const { version, name: title = name, distribution } = entry;
  if (!AGENT_NAME.test(name)) fail("is not a valid name");
  if (typeof version !== "string" || !VERSION.test(version)) return fail("has no valid version");
  if (typeof title !== "string" || !isJsonObject(distribution)) return fail("has no distribution");
  const { source, target } = sourceOf(distribution, version, query, fail);
  const { args = [], env = {} } = target;
  if (!isStringList(args) || !isStringMap(env)) return fail("has invalid args or env");
  return { name, title, version, source, args, env, registry };
}

function sourceOf(
  distribution: JsonObject,
  version: string,
  query: RegistryQuery,
  fail: (problem: string) => never,
): { readonly source: InstallSource; readonly target: JsonObject } {
  const { npx, uvx, binary } = distribution;
  if (isJsonObject(npx)) {
    const { cmd } = npx;
    if (cmd !== undefined && (typeof cmd !== "string" || !/^[\w.-]+$/.test(cmd)))
      return fail("has an invalid cmd");
    const name = pinned(npx["package"], "@", version, fail);
    return {
      source: { kind: "npm", package: name, integrity: undefined, program: cmd },
      target: npx,
    };
  }
  if (isJsonObject(uvx)) {
    const name = pinned(uvx["package"], "==", version, fail);
    return { source: { kind: "uv", package: name, program: name }, target: uvx };
  }
  const target = isJsonObject(binary) ? binary[query.platform ?? ""] : undefined;
  if (!isJsonObject(target))
    return fail(`is not available for ${query.platform ?? "this machine"}`);
  const { archive, cmd, sha256 = query.sha256 } = target;
  if (typeof archive !== "string" || !isSafeDownload(archive))
    return fail("has an archive that is not at an https address");
  if (typeof cmd !== "string" || !isInside(cmd)) return fail("has an invalid cmd");
  if (sha256 === undefined)
    return fail("has no sha256 for its archive, so that it cannot be verified; --sha256 gives one");
  if (typeof sha256 !== "string" || !SHA256.test(sha256)) return fail("has an invalid sha256");
  if (query.sha256 !== undefined && query.sha256.toLowerCase() !== sha256.toLowerCase())
    return fail("has another sha256 than --sha256");
  const source = {
    kind: "archive",
    url: archive,
    sha256: sha256.toLowerCase(),
    program: cmd,
  } as const;
  return { source, target };
}

/** The name of a package. If it names a version, that must be the version of the entry. */
function pinned(
  value: unknown,
  mark: string,
  version: string,
  fail: (problem: string) => never,
): string {
  if (typeof value !== "string") return fail("has no package");
  const at = value.indexOf(mark, 1);
  const name = at === -1 ? value : value.slice(0, at);
  if (!PACKAGE.test(name)) return fail("has an invalid package name");
  if (at !== -1 && value.slice(at + mark.length) !== version)
    return fail(`is version ${version}, but its package is another one`);
  return name;
}

function isInside(path: string): boolean {
  const plain = normalize(path);
  return path !== "" && !isAbsolute(plain) && plain !== ".." && !plain.startsWith(`..${sep}`);
}

/** Whether a file may be loaded from an address: over https, or from this machine. */
export function isSafeDownload(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  if (protocol === "https:") return true;
  return protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}

function notListed(entries: readonly JsonObject[], { name, registry }: RegistryQuery): CliError {
  const ids = entries.map(({ id }) => id).filter((id) => typeof id === "string");
  const near = nearest(name, ids);
  return usageError(`${registry} has no agent "${name}"`, near);
}

const SYSTEMS: Partial<Record<NodeJS.Platform, string>> = {
  darwin: "darwin",
  linux: "linux",
  win32: "windows",
};
const MACHINES: Readonly<Record<string, string>> = { arm64: "aarch64", x64: "x86_64" };

export function registryPlatform(platform: NodeJS.Platform, arch: string): string | undefined {
  const [system, machine] = [SYSTEMS[platform], MACHINES[arch]];
  return system === undefined || machine === undefined ? undefined : `${system}-${machine}`;
}
