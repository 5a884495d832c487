import { quiet, within } from "../../wire/index.ts";
import { mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  capabilitiesOf,
  DroidClient,
  DroidNotFoundError,
  type DroidSettings,
  findExecutable,
  type ModelInfo,
  readVersion,
  TESTED_VERSIONS,
  testedRange,
} from "../../droid/index.ts";
import { createDeps, type AdapterOptions } from "../deps.ts";
import { missingDroid } from "./missing.ts";

export interface Check {
  readonly name: string;
  readonly result: "ok" | "warning" | "failed";
  readonly message: string;
  /** What to do about it. */
  readonly advice?: string;
  /** Each place that was looked at in vain. */
  readonly tried?: readonly string[];
}

/** A check that was made, and how long that took. */
export interface TimedCheck extends Check {
  readonly ms: number;
}

/** Last resort against an executable that is no Droid and never answers. */
const HANDSHAKE_MS = 60_000;

/** Looks at everything a prompt needs, in the order in which it needs it, and tells each as it is known. */
export async function diagnose(
  options: AdapterOptions,
  tell: (check: TimedCheck) => void = () => {},
): Promise<readonly TimedCheck[]> {
  const checks: TimedCheck[] = [];
  let since = performance.now();
  const add = (...found: readonly Check[]): void => {
    const now = performance.now();
    for (const check of found) {
      const timed = { ...check, ms: Math.round(now - since) };
      since = now;
      checks.push(timed);
      tell(timed);
    }
  };
  await inspect(options, add);
  return checks;
}

async function inspect(
  options: AdapterOptions,
  add: (...found: readonly Check[]) => void,
): Promise<void> {
  let executable: string;
  try {
    executable = await findExecutable(options.executable, options.env);
  } catch (error) {
    if (!(error instanceof DroidNotFoundError)) throw error;
    const { what: message, advice, tried } = missingDroid(error);
    return add({ name: "executable", result: "failed", message, advice, tried });
  }
  add({ name: "executable", result: "ok", message: executable });
  add(versionCheck(await readVersion(executable, options.env)));
  const deps = createDeps({ ...options, ahead: false });
  // Resolved, since Droid files sessions under the resolved path.
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "droid-acp-doctor-")));
  try {
    const client = await inTime(
      DroidClient.start({ ...deps.requestedSettings, executable, env: options.env, cwd }),
    );
    try {
      add({ name: "handshake", result: "ok", message: describeVersion(client) });
      add(...quirks(client));
      const hasLogin = deps.hasApiKey || (await hasLoginFile(deps.home));
      add(accessCheck(client.settings, client.models, hasLogin, options.model));
    } finally {
      await client.close();
      await DroidClient.delete(client.sessionId, { home: deps.home }).catch(() => {});
    }
  } catch (error) {
    add({
      name: "handshake",
      result: "failed",
      message: messageOf(error),
      advice: "Run `droid exec hello` in a terminal to see what Droid itself says.",
    });
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

/** Whether a prompt could work, going by the checks. Pure. */
export function couldWork(checks: readonly Check[]): boolean {
  return checks.every(({ result }) => result !== "failed");
}

const MARKS: Readonly<Record<Check["result"], string>> = {
  ok: "ok  ",
  warning: "warn",
  failed: "FAIL",
};

/** The checks as text for a terminal. Pure. */
export function report(checks: readonly Check[]): string {
  const lines = checks.flatMap(({ name, result, message, advice, tried = [] }) => [
    `${MARKS[result]}  ${name}: ${message}`,
    ...tried.map((place) => `      tried ${place}`),
    ...(advice === undefined ? [] : [`      ${advice}`]),
  ]);
  const verdict = couldWork(checks) ? "A prompt could work." : "A prompt could not work yet.";
  return [...lines, verdict, ""].join("\n");
}

/** How a version stands to those this was tested with. Pure. */
export function versionCheck(version: string | undefined): Check {
  const range = `${TESTED_VERSIONS[0]} to ${TESTED_VERSIONS[TESTED_VERSIONS.length - 1] ?? ""}`;
  const name = "version";
  switch (testedRange(version)) {
    case "tested":
    case "inside":
      return { name, result: "ok", message: `${version ?? ""} (tested: ${range})` };
    case "newer":
      return {
        name,
        result: "warning",
        message: `${version ?? ""} is newer than what was tested (${range})`,
        advice: "It most likely works. If something does not, look for a newer droid-acp.",
      };
    case "older":
      return {
        name,
        result: "warning",
        message: `${version ?? ""} is older than what was tested (${range})`,
        advice: "Run `droid update`.",
      };
    case "unknown":
      return {
        name,
        result: "warning",
        message: "the executable does not tell its version",
        advice: "Run `droid --version` to see what it is.",
      };
  }
}

function describeVersion({ version }: DroidClient): string {
  return `Droid answers (protocol ${version.protocol ?? "unknown"})`;
}

/** What this version cannot do. */
function quirks({ version }: DroidClient): readonly Check[] {
  const { startsMcpServers, completesTurns } = capabilitiesOf(version);
  const lacks = [
    ...(startsMcpServers ? [] : ["does not start the MCP servers an editor gives it"]),
    ...(completesTurns === false ? ["does not list slash commands"] : []),
  ];
  if (lacks.length === 0) return [];
  return [
    {
      name: "quirks",
      result: "warning",
      message: `this version ${lacks.join(" and ")}`,
      advice: "Run `droid update`.",
    },
  ];
}

/** Whether the model in force can be used: with a login, or with a key of the user's own. Pure. */
export function accessCheck(
  settings: Pick<DroidSettings, "model">,
  models: readonly ModelInfo[],
  hasLogin: boolean,
  asked: string | undefined,
): Check {
  const name = "access";
  const model = settings.model ?? "the default model";
  const own = models.filter(({ isCustom }) => isCustom);
  const isOwn = model.startsWith("custom:");
  if (asked !== undefined && settings.model !== asked)
    return {
      name,
      result: "failed",
      message: `Droid has no model ${asked} and would use ${model}`,
      advice: `Choose one of: ${models.map(({ id }) => id).join(", ")}`,
    };
  if (isOwn) return { name, result: "ok", message: `${model} works with a key of your own` };
  if (hasLogin)
    return { name, result: "ok", message: `${model} works with your Factory login or key` };
  const [first] = own;
  return {
    name,
    result: "failed",
    message: `${model} needs a Factory login, and there is none`,
    advice:
      first === undefined
        ? "Run `droid-acp --login`, set FACTORY_API_KEY, or add an own-key model to customModels in ~/.factory/settings.json."
        : `Run \`droid-acp --login\`, set FACTORY_API_KEY, or start with --model ${first.id}.`,
  };
}

/** Droid keeps its login in files of this name, encrypted or not. */
async function hasLoginFile(home: string): Promise<boolean> {
  const names = await readdir(join(home, ".factory")).catch(() => []);
  return names.some((name) => /^auth\b/.test(name));
}

/** Rejects if Droid does not answer in time; a client that starts later is closed. */
async function inTime(starting: Promise<DroidClient>): Promise<DroidClient> {
  if (await within(starting, HANDSHAKE_MS)) return starting;
  void quiet(starting.then((client) => client.close()));
  throw new Error("Droid does not answer");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
