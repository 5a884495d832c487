/** The capabilities of each version of Droid. Pure. The facts come from running the versions named here. */

/** The known version numbers: that of the program, and that of the protocol, which is in every frame. */
export interface DroidVersion {
  /** The output of `droid --version`, such as `0.225.2`. */
  readonly cli: string | undefined;
  /** `factoryProtocolVersion`; absent in versions before 0.99. */
  readonly protocol: string | undefined;
}

/** The versions this library is tested with, oldest first. */
export const TESTED_VERSIONS = ["0.99.0", "0.117.0", "0.215.0", "0.225.2"] as const;

/** `inside` covers untested versions between two tested ones. */
export type TestedRange = "tested" | "inside" | "newer" | "older" | "unknown";

/**
 * How settings are spelled: `levels` has `autonomyLevel: off|low|medium|high` and `interactionMode`
 * (0.99 and later), `levels-as-modes` puts `auto-low` or `spec` into `autonomyLevel` (0.57.14),
 * `modes` puts them into `autonomyMode` (the versions in between, unverified; 0.99 and later still
 * accept it).
 */
export type SettingsDialect = "levels" | "modes" | "levels-as-modes";

/**
 * Which tools a session can choose: `none` in 0.99, only those to add and to remove in 0.117
 * (`switches`), also the whole set in later versions (`full`).
 */
type ToolSelectionSupport = "none" | "switches" | "full";

/** The differences between versions that matter to the client. */
export interface DroidCapabilities {
  /** Whether a turn ends with `agent_turn_completed`; undefined if only running a turn can tell. */
  readonly completesTurns: boolean | undefined;
  /** Whether an error response has the id of its request. If not, only one call may be open at a time. */
  readonly errorsNameTheirCall: boolean;
  readonly settings: SettingsDialect;
  /** Whether Droid starts the `mcpServers` of a session, or only echoes them (0.99, 0.117). */
  readonly startsMcpServers: boolean;
  /** Whether Droid can load a session without starting another one first (not in 0.57.14). */
  readonly loadsDirectly: boolean;
  /** Whether Droid supports a JSON schema for the answer. */
  readonly structuredOutput: boolean;
  /** Whether a new session can have its own system prompt (not in 0.99 and 0.117). */
  readonly systemPrompt: boolean;
  readonly toolSelection: ToolSelectionSupport;
  /** Whether Droid stays with a session when it copies it; 0.99 and 0.117 switch to the copy. */
  readonly copiesAside: boolean;
}

/** Protocol versions: 1.15.0 is 0.99.0, 1.32.0 is 0.117.0, 1.206.0 is 0.215.0, 1.220.0 is 0.225.2. */
const LAST_KNOWN_OLD = "1.32.0";
const FIRST_KNOWN_NEW = "1.206.0";
const FIRST_WITH_LEVELS = "0.99.0";
const LAST_WITH_LEVELS_AS_MODES = "0.57.14";

/** The capabilities of a version. An unknown version counts as new where that can be corrected later. */
export function capabilitiesOf({ cli, protocol }: DroidVersion): DroidCapabilities {
  const age = protocol === undefined ? ageByCli(cli) : ageByProtocol(protocol);
  const isNew = age === "new";
  const isModern = age !== "old" && age !== "ancient";
  return {
    completesTurns: age === "between" || age === "unknown" ? undefined : isNew,
    errorsNameTheirCall: isNew,
    settings: dialectOf(cli, protocol),
    startsMcpServers: isModern,
    loadsDirectly: age !== "ancient",
    structuredOutput: isModern,
    systemPrompt: isModern,
    toolSelection: isModern ? "full" : hasSwitches(cli, protocol) ? "switches" : "none",
    copiesAside: isNew,
  };
}

/** Of the versions that are not modern, only 0.117.0 has them. */
function hasSwitches(cli = "", protocol?: string): boolean {
  return protocol === undefined
    ? compareVersions(cli, "0.117.0") >= 0
    : compareVersions(protocol, LAST_KNOWN_OLD) >= 0;
}

type Age = "ancient" | "old" | "between" | "new" | "unknown";

function ageByProtocol(protocol: string): Age {
  if (compareVersions(protocol, LAST_KNOWN_OLD) <= 0) return "old";
  return compareVersions(protocol, FIRST_KNOWN_NEW) < 0 ? "between" : "new";
}

/** Used until the first frame arrives, and for versions whose frames have no protocol version. */
function ageByCli(cli: string | undefined): Age {
  if (cli === undefined) return "unknown";
  if (compareVersions(cli, FIRST_WITH_LEVELS) < 0) return "ancient";
  if (compareVersions(cli, "0.117.0") <= 0) return "old";
  return compareVersions(cli, "0.215.0") < 0 ? "between" : "new";
}

function dialectOf(cli: string | undefined, protocol: string | undefined): SettingsDialect {
  if (protocol !== undefined || cli === undefined) return "levels";
  if (compareVersions(cli, FIRST_WITH_LEVELS) >= 0) return "levels";
  return compareVersions(cli, LAST_WITH_LEVELS_AS_MODES) <= 0 ? "levels-as-modes" : "modes";
}

/** How a version relates to the tested ones. */
export function testedRange(cli: string | undefined): TestedRange {
  if (cli === undefined) return "unknown";
  const list: readonly string[] = TESTED_VERSIONS;
  if (list.includes(cli)) return "tested";
  if (compareVersions(cli, TESTED_VERSIONS[0]) < 0) return "older";
  return compareVersions(cli, TESTED_VERSIONS[TESTED_VERSIONS.length - 1] ?? "") > 0
    ? "newer"
    : "inside";
}

/** Compares dotted numbers, ignoring anything after a hyphen. */
export function compareVersions(left: string, right: string): number {
  const a = numbersOf(left);
  const b = numbersOf(right);
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function numbersOf(version: string): readonly number[] {
  const [release = ""] = version.split("-");
  return release.split(".").map((part) => Number.parseInt(part, 10) || 0);
}
