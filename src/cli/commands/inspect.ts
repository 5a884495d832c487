import { joinCommandLine } from "../../wire/index.ts";
import type { ParsedCommandLine } from "../args/parse.ts";
import { pageOption } from "../args/values.ts";
import { type CliError, type ExitCode, usageError } from "../exit.ts";
import type { Io } from "../io.ts";
import { openContext, reportingFailure } from "../run/context.ts";

/**
 * `dragoman inspect`: shows recordings, or stands between an editor and an agent and shows what they say. Exits
 * with 0 when a signal ends the page, or the editor closes stdin.
 */
export async function inspectCommand(parsed: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const { values, words, rest } = parsed;
  const files = words.slice(0, words.length - rest.length);
  const isWire = rest.length > 0 || values.text("agent") !== undefined;
  const problem = contradiction(parsed, files, isWire);
  if (problem) throw problem;
  // Findings, the page or the wire are the output, so the output that the settings ask for does not apply.
  values.set("outputmode", "text");
  // The terminal belongs to the editor, which may run in it, so no question is asked there.
  const context = await openContext(isWire ? { ...io, openTerminal: () => undefined } : io, values);
  return reportingFailure(context, async () => {
    if (isWire) {
      const { relay } = await import("../inspect/relay.ts");
      return relay(context, rest.length > 0 ? joinCommandLine(rest) : undefined);
    }
    const format = values.text("findings");
    if (format !== undefined) {
      const { printFindings } = await import("../inspect/findings.ts");
      return printFindings(context, format, files);
    }
    const target = values.text("export");
    if (target !== undefined) {
      const { exportFiles } = await import("../inspect/export.ts");
      return exportFiles(context, target, files);
    }
    const { showFiles } = await import("../inspect/show.ts");
    return showFiles(context, files);
  });
}

const MAX_FILES = 2;

function contradiction(
  { values, rest }: ParsedCommandLine,
  files: readonly string[],
  isWire: boolean,
): CliError | undefined {
  const given = (["export", "findings"] as const).filter((name) => values.text(name) !== undefined);
  const [first, second] = given;
  const usage = "dragoman inspect FILE, dragoman inspect -a NAME, or dragoman inspect -- COMMAND";
  if (isWire && files.length > 0)
    return usageError(`inspect shows ${files[0]} or an agent, not both`, usage);
  if (rest.length > 0 && values.text("agent") !== undefined)
    return usageError("-a and a command contradict each other", usage);
  if (isWire && first !== undefined) return usageError(`--${first} needs a file`, usage);
  if (!isWire && files.length === 0)
    return usageError("inspect needs a recording or an agent", usage);
  if (files.length > MAX_FILES) return usageError("inspect compares two files at most", usage);
  if (second !== undefined) return usageError(`--${first} and --${second} contradict each other`);
  const idle = pageOption(values);
  // Only a page on a server has an address; every page can keep secrets.
  if (first !== undefined && idle !== undefined && idle !== "keep-secrets")
    return usageError(`--${idle} and --${first} contradict each other`);
  return undefined;
}
