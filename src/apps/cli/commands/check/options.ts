import { messageOf, joinCommandLine, nearest } from "../../../../base/index.ts";
import { resolve } from "node:path";
import {
  FAIL_LEVELS,
  type FailLevel,
  type ClientDriver,
  parseDriver,
  parsePrompts,
  selectIds,
  SelectionError,
} from "../../../../conformance/check/index.ts";
import {
  type CheckedSide,
  type Requirement,
  requirementsFor,
} from "../../../../conformance/index.ts";
import { CHECK_MODELS, type CheckValues } from "./declaration.ts";
import type { TextName } from "../../shell/options.ts";
import type { Values } from "../../shell/parse.ts";
import {
  choiceOption,
  positiveOption,
  timeOption,
  givenOption,
} from "../../shell/option-values.ts";
import { usageError } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { MIB, readGivenFile } from "../../shell/regular-file.ts";

export interface CheckChoice {
  readonly side: CheckedSide;
  readonly protocol: 1 | 2;
  readonly level: FailLevel;
  /** Every requirement of the side and the version, in order. */
  readonly requirements: readonly Requirement[];
  /** Those that `--only` and `--skip` leave. */
  readonly ids: ReadonlySet<string>;
  /** Those that `--only` names without a pattern: some cases run only if they are asked for by name. */
  readonly named: ReadonlySet<string>;
}

export function checkChoice(values: CheckValues, side: CheckedSide): CheckChoice {
  const protocol = protocolOf(values);
  const requirements = requirementsFor(side, protocol);
  const only = wordsOf(values, "only");
  const ids = selected(requirements, only, wordsOf(values, "skip"), listHint(side));
  const asked = new Set(only.map((word) => word.toUpperCase()));
  const named = requirements.map(({ id }) => id).filter((id) => asked.has(id.toUpperCase()));
  return { side, protocol, level: levelOf(values), requirements, ids, named: new Set(named) };
}

function protocolOf(values: Values): 1 | 2 {
  switch (givenOption(values, "protocol")) {
    case undefined:
    case "1":
      return 1;
    case "2":
      return 2;
    default:
      throw usageError("check needs one version of the protocol", "--protocol 1, or --protocol 2");
  }
}

export function levelOf(values: CheckValues): FailLevel {
  const word = values.text("level") ?? "must";
  const level = FAIL_LEVELS.find((one) => one === word.toLowerCase());
  if (level === undefined)
    throw usageError(`--level "${word}" is not one of ${FAIL_LEVELS.join(", ")}`);
  return level;
}

function wordsOf(values: CheckValues, name: "only" | "skip"): readonly string[] {
  const words = values.list(name).flatMap((text) => text.split(","));
  return words.map((word) => word.trim()).filter((word) => word !== "");
}

export function listHint(side: CheckedSide): string {
  return `dragoman check ${side === "client" ? "client " : ""}--list`;
}

function selected(
  requirements: readonly Requirement[],
  only: readonly string[],
  skip: readonly string[],
  hint: string,
): ReadonlySet<string> {
  try {
    const ids = selectIds(requirements, { only, skip });
    if (ids.size > 0) return ids;
  } catch (error) {
    if (!(error instanceof SelectionError)) throw error;
    const known = requirements.flatMap(({ id, area }) => [id, area]);
    const near = nearest(error.word, [...new Set(known)]);
    throw usageError(error.message, near ?? hint);
  }
  throw usageError("--only and --skip leave no requirement", hint);
}

export interface RunSettings {
  readonly jobs: number | undefined;
  readonly timeoutMs: number | undefined;
  readonly model: (typeof CHECK_MODELS)[number];
  /** Variables with the address of the scripted model, in which `{url}` stands for it. */
  readonly modelEnv: Readonly<Record<string, string>>;
  readonly authMethod: string | undefined;
  /** The contents of the file of `--prompts`; undefined without it. */
  readonly prompts: unknown;
  /** The contents of the file of `--driver`; undefined without it. */
  readonly driver: ClientDriver | undefined;
}

export async function runSettings(
  values: CheckValues,
  io: Io,
  side: CheckedSide,
): Promise<RunSettings> {
  for (const name of side === "agent" ? CLIENT_ONLY : AGENT_ONLY)
    if (values.names().includes(name))
      throw usageError(`--${name} does not apply to a check of ${side}s`);
  const flags = { text: (name: TextName) => givenOption(values, name) };
  return {
    jobs: positiveOption(values, "jobs"),
    timeoutMs: timeOption(flags, "timeout"),
    model: choiceOption(flags, "model", CHECK_MODELS) ?? "scripted",
    modelEnv: modelEnvOf(values),
    authMethod: givenOption(values, "auth"),
    prompts: await jsonFile(values, "prompts", io, parsePrompts),
    driver: await jsonFile(values, "driver", io, parseDriver),
  };
}

const AGENT_ONLY = [
  "agent",
  "agent-url",
  "token-file",
  "prompts",
  "model",
  "model-env",
  "auth",
] as const;
const CLIENT_ONLY = ["driver"] as const;

function modelEnvOf(values: CheckValues): Readonly<Record<string, string>> {
  const pairs = values.list("model-env").map((text) => {
    const at = text.indexOf("=");
    if (at < 1 || !text.includes("{url}"))
      throw usageError(
        `--model-env "${text}" is not NAME=VALUE with {url} in the value`,
        "--model-env OPENAI_BASE_URL={url}/v1",
      );
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  return Object.fromEntries(pairs);
}

async function jsonFile<T>(
  values: CheckValues,
  name: "prompts" | "driver",
  { cwd }: Io,
  parse: (value: unknown) => T,
): Promise<T | undefined> {
  const file = values.text(name);
  if (file === undefined) return undefined;
  const bytes = await readGivenFile(resolve(cwd, file), `--${name} ${file}`, { maxBytes: MIB });
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    throw usageError(`--${name} ${file} is not JSON: ${messageOf(error)}`);
  }
  try {
    return parse(value);
  } catch (error) {
    throw usageError(`--${name} ${file}: ${messageOf(error)}`);
  }
}

/** The options that decide what happens in a case. The others choose cases, or where reports go. */
const KEPT: ReadonlySet<string> = new Set([
  "agent",
  "agent-url",
  "token-file",
  "settings",
  "protocol",
  "auth",
  "model",
  "model-env",
  "prompts",
  "driver",
  "recordings",
]);

/** The command line that repeats one case alone, with `@ID@` in place of its id. Pure. */
export function repeatCommandLine(
  values: Values,
  side: CheckedSide,
  rest: readonly string[],
): string {
  const options = values
    .given()
    .filter(([name]) => KEPT.has(name))
    .flatMap(([name, value]) => [
      name === "agent" ? "-a" : `--${name}`,
      ...(value === undefined ? [] : [value]),
    ]);
  return joinCommandLine([
    "dragoman",
    "check",
    ...(side === "client" ? ["client"] : []),
    ...options,
    "--only",
    "@ID@",
    ...(rest.length === 0 ? [] : ["--", ...rest]),
  ]);
}
