import { joinCommandLine } from "../../../../base/index.ts";
import type { ParsedCommandLine } from "../../shell/parse.ts";
import { pageOption } from "../../shell/values.ts";
import { type CliError, type ExitCode, usageError } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { exportSessions, printFindings, showSessions } from "./show.ts";
import { fileSources, type SessionSources } from "./sources.ts";
import { type Context, runForPeople } from "../../context/context.ts";

/**
 * `dragoman inspect`: shows recordings or sessions of a fleet, or stands between an editor and an agent and
 * shows what they say. Exits with 0 when a signal ends the page, or the editor closes stdin.
 */
export async function run(parsed: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const { values, words, rest } = parsed;
  const names = words.slice(0, words.length - rest.length);
  const isWire = rest.length > 0 || values.text("agent") !== undefined;
  const problem = contradiction(parsed, names, isWire);
  if (problem) throw problem;
  if (isWire) {
    // The terminal belongs to the editor, which may run in it, so no question is asked there.
    const quiet = { ...io, openTerminal: () => undefined };
    const { relay } = await import("./relay.ts");
    const commandLine = rest.length > 0 ? joinCommandLine(rest) : undefined;
    return runForPeople(quiet, values, (context) => relay(context, commandLine));
  }
  return runForPeople(io, values, async (context) => {
    const from = await sourcesOf(context);
    try {
      return await inspectSources(context, from, names);
    } finally {
      await from.close();
    }
  });
}

async function sourcesOf(context: Context): Promise<SessionSources> {
  if (context.values.list("nats").length > 0)
    return (await import("./fleet-log.ts")).fleetSources(context);
  return fileSources(context.io.cwd);
}

async function inspectSources(
  context: Context,
  from: SessionSources,
  names: readonly string[],
): Promise<ExitCode> {
  const { values } = context;
  const format = values.text("findings");
  if (format !== undefined) return printFindings(context, from, format, names);
  const target = values.text("export");
  if (target !== undefined) return exportSessions(context, from, target, names);
  return showSessions(context, from, names);
}

const MOST_NAMES = 2;
const NATS_OPTIONS = ["nats-credentials", "nats-ca", "nats-cert", "nats-key"] as const;

function contradiction(
  { values, rest }: ParsedCommandLine,
  names: readonly string[],
  isWire: boolean,
): CliError | undefined {
  const given = (["export", "findings"] as const).filter((name) => values.text(name) !== undefined);
  const [first, second] = given;
  const usage = "dragoman inspect FILE, dragoman inspect -a NAME, or dragoman inspect -- COMMAND";
  const isFleet = values.list("nats").length > 0;
  const natsOption = NATS_OPTIONS.find((name) => values.text(name) !== undefined);
  if (!isFleet && natsOption !== undefined) return usageError(`--${natsOption} needs --nats`);
  if (isWire && isFleet) return usageError("--nats and an agent contradict each other", usage);
  if (isWire && names.length > 0)
    return usageError(`inspect shows ${names[0]} or an agent, not both`, usage);
  if (rest.length > 0 && values.text("agent") !== undefined)
    return usageError("-a and a command contradict each other", usage);
  if (isWire && first !== undefined) return usageError(`--${first} needs a file`, usage);
  if (isFleet && names.length === 0)
    return usageError("inspect --nats needs a session", "dragoman inspect --nats URL SESSION");
  if (!isWire && names.length === 0)
    return usageError("inspect needs a recording or an agent", usage);
  if (names.length > MOST_NAMES)
    return usageError(`inspect compares two ${isFleet ? "sessions" : "files"} at most`, usage);
  if (second !== undefined) return usageError(`--${first} and --${second} contradict each other`);
  const idle = pageOption(values);
  // Only a page on a server has an address; every page can keep secrets.
  if (first !== undefined && idle !== undefined && idle !== "keep-secrets")
    return usageError(`--${idle} and --${first} contradict each other`);
  return undefined;
}
