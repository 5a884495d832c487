import { isStringMap, isJsonObject, isStringList } from "../../../base/index.ts";

/** The things that a client can be made to do. The first six are those that most clients have. */
const DRIVER_ACTIONS = [
  "cancel",
  "load",
  "allow",
  "deny",
  "noFs",
  "noTerminal",
  "again",
  "ask",
  "choose",
  "list",
  "option",
  "mode",
  "image",
  "form",
  "mcp",
  "timeout",
] as const;

export type DriverAction = (typeof DRIVER_ACTIONS)[number];

/** How a client is made to do one thing. */
interface DriverEntry {
  /** Arguments in place of `{driver}`, or else at the end. With `{agent}` in them, they replace all. */
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** A signal for the client's process, sent when the thing shall happen. */
  readonly signal?: NodeJS.Signals | undefined;
  /** Text for the client's stdin, written when the thing shall happen. */
  readonly keys?: string | undefined;
}

/** How a client is driven. */
export type ClientDriver = Readonly<Partial<Record<DriverAction, DriverEntry>>>;

const SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"];

/** Reads the JSON of a driver file. Throws an Error that says which entry is wrong, and how. */
export function parseDriver(value: unknown): ClientDriver {
  if (!isJsonObject(value)) throw new Error("a driver file must contain a JSON object");
  const entries = Object.entries(value).map(([name, entry]) => {
    const action = DRIVER_ACTIONS.find((known) => known === name);
    if (action === undefined) {
      throw new Error(
        `the driver has an unknown entry "${name}"; known: ${DRIVER_ACTIONS.join(", ")}`,
      );
    }
    return [action, parseEntry(name, entry)] as const;
  });
  return Object.fromEntries(entries);
}

function parseEntry(name: string, entry: unknown): DriverEntry {
  const fail = (what: string): never => {
    throw new Error(`the entry "${name}" of the driver ${what}`);
  };
  if (!isJsonObject(entry)) return fail("must be an object");
  const { args, env, signal, keys, ...others } = entry;
  const [other] = Object.keys(others);
  if (other !== undefined)
    return fail(`has an unknown field "${other}"; known: args, env, signal, keys`);
  if (args !== undefined && !isStringList(args)) return fail('needs a list of strings as "args"');
  if (env !== undefined && !isStringMap(env)) return fail('needs an object of strings as "env"');
  if (keys !== undefined && typeof keys !== "string") return fail('needs a string as "keys"');
  const known = SIGNALS.find((one) => one === signal);
  if (signal !== undefined && known === undefined) {
    return fail(`needs one of ${SIGNALS.join(", ")} as "signal"`);
  }
  if (args === undefined && env === undefined && keys === undefined && known === undefined) {
    return fail('needs one of "args", "env", "signal" or "keys"');
  }
  return { args, env, signal: known, keys };
}
