import { quiet, toError, within } from "../../base/index.ts";
import { mkdtemp, realpath, rm } from "node:fs/promises";
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
import { findAccess, missingDroid } from "./access.ts";
import { createDeps, type AdapterOptions } from "./deps.ts";

export interface Check {
  readonly name: string;
  readonly result: "ok" | "warning" | "failed";
  readonly message: string;
  readonly advice?: string | undefined;
  readonly tried?: readonly string[] | undefined;
}

interface TimedCheck extends Check {
  readonly ms: number;
}

/** Last resort against an executable that is not Droid and never answers. */
const HANDSHAKE_MS = 60_000;

/** Checks everything that a prompt needs, step by step. Reports each check once it is done. */
export async function diagnose(
  options: AdapterOptions,
  onCheck: (check: TimedCheck) => void = () => {},
): Promise<readonly TimedCheck[]> {
  const checks: TimedCheck[] = [];
  let since = performance.now();
  const add = (...found: readonly Check[]): void => {
    const now = performance.now();
    for (const check of found) {
      const timed = { ...check, ms: Math.round(now - since) };
      since = now;
      checks.push(timed);
      onCheck(timed);
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
    executable = await findExecutable(options);
  } catch (error) {
    if (!(error instanceof DroidNotFoundError)) throw error;
    const { what: message, advice, tried } = missingDroid(error);
    return add({ name: "executable", result: "failed", message, advice, tried });
  }
  add({ name: "executable", result: "ok", message: executable });
  add(versionCheck(await readVersion(executable, options)));
  const deps = createDeps({ ...options, ahead: false });
  // Droid stores sessions under the real path.
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "droid-acp-doctor-")));
  try {
    const client = await inTime(
      DroidClient.start({ ...deps.requestedSettings, executable, env: options.env, cwd }),
    );
    try {
      const protocol = client.version.protocol ?? "unknown";
      add(checkOf("handshake")("ok", `Droid answers (protocol ${protocol})`));
      add(...quirks(client));
      const { apiKey, login } = await findAccess(deps.home, deps.hasApiKey);
      add(accessCheck(client.settings, client.models, apiKey || login, options.model));
    } finally {
      await client.close();
      await DroidClient.delete(client.sessionId, { home: deps.home }).catch(() => {});
    }
  } catch (error) {
    add({
      name: "handshake",
      result: "failed",
      message: toError(error).message,
      advice: "Run `droid exec hello` in a terminal to see the error from Droid itself.",
    });
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

export function couldWork(checks: readonly Check[]): boolean {
  return checks.every(({ result }) => result !== "failed");
}

const MARKS: Readonly<Record<Check["result"], string>> = {
  ok: "ok  ",
  warning: "warn",
  failed: "FAIL",
};

export function report(checks: readonly Check[]): string {
  const lines = checks.flatMap(({ name, result, message, advice, tried = [] }) => [
    `${MARKS[result]}  ${name}: ${message}`,
    ...tried.map((path) => `      tried ${path}`),
    ...(advice === undefined ? [] : [`      ${advice}`]),
  ]);
  const verdict = couldWork(checks) ? "A prompt should work." : "A prompt will not work yet.";
  return [...lines, verdict, ""].join("\n");
}

export function versionCheck(version: string | undefined): Check {
  const range = `${TESTED_VERSIONS[0]} to ${TESTED_VERSIONS[TESTED_VERSIONS.length - 1] ?? ""}`;
  const check = checkOf("version");
  const tested = testedRange(version);
  if (tested === "unknown" || version === undefined)
    return check(
      "warning",
      "the executable does not report its version",
      "Run `droid --version` to see what the executable is.",
    );
  if (tested === "tested" || tested === "inside")
    return check("ok", `${version} (tested: ${range})`);
  const advice =
    tested === "newer"
      ? "It will most likely work. If something fails, look for a newer droid-acp."
      : "Run `droid update`.";
  return check("warning", `${version} is ${tested} than the tested versions (${range})`, advice);
}

function checkOf(name: string) {
  return (result: Check["result"], message: string, advice?: string): Check => ({
    name,
    result,
    message,
    advice,
  });
}

function quirks({ version }: DroidClient): readonly Check[] {
  const { startsMcpServers, completesTurns } = capabilitiesOf(version);
  const lacks = [
    ...(startsMcpServers ? [] : ["does not start MCP servers from the editor"]),
    ...(completesTurns === false ? ["does not list slash commands"] : []),
  ];
  if (lacks.length === 0) return [];
  const message = `this version ${lacks.join(" and ")}`;
  return [{ name: "quirks", result: "warning", message, advice: "Run `droid update`." }];
}

/** Whether the current model can be used, with a login or with the user's own key. Pure. */
export function accessCheck(
  settings: Pick<DroidSettings, "model">,
  models: readonly ModelInfo[],
  hasLogin: boolean,
  requested: string | undefined,
): Check {
  const check = checkOf("access");
  const model = settings.model ?? "the default model";
  if (requested !== undefined && settings.model !== requested)
    return check(
      "failed",
      `Droid has no model ${requested} and would use ${model} instead`,
      `Choose one of: ${models.map(({ id }) => id).join(", ")}`,
    );
  if (model.startsWith("custom:")) return check("ok", `${model} works with your own API key`);
  if (hasLogin) return check("ok", `${model} works with your Factory login or API key`);
  const own = models.find(({ isCustom }) => isCustom);
  return check(
    "failed",
    `${model} needs a Factory login, and none was found`,
    own === undefined
      ? "Run `droid-acp --login`, set FACTORY_API_KEY, or add an own-key model to customModels in ~/.factory/settings.json."
      : `Run \`droid-acp --login\`, set FACTORY_API_KEY, or start with --model ${own.id}.`,
  );
}

/** Rejects if Droid does not answer in time. A client that starts later is closed. */
async function inTime(starting: Promise<DroidClient>): Promise<DroidClient> {
  if (await within(starting, HANDSHAKE_MS)) return starting;
  void quiet(starting.then((client) => client.close()));
  throw new Error("Droid did not answer in time");
}
