import { resolve } from "node:path";
import type { SelectedAgent } from "../../agents/select.ts";
import { chooseAgent } from "../../agents/choose.ts";
import type { ParsedCommandLine } from "../../shell/parse.ts";
import { examineAgent, withoutDoctorHint, Report } from "../../doctor/examine.ts";
import type { ExitCode } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { runCommand } from "../../connect/command.ts";

/**
 * `dragoman proxy --doctor`: checks the agent's command, then starts this proxy as an editor would, and
 * opens a session through it. Exits with 0 only if a prompt would work.
 */
export function proxyDoctor(
  parsed: ParsedCommandLine,
  io: Io,
  commandLine: string | undefined,
): Promise<ExitCode> {
  return runCommand(io, parsed.values, {
    run: async (context, connect) => {
      const report = new Report(context);
      const chosen = await chooseAgent(context, undefined, commandLine);
      const { node, dragoman } = io.self;
      const agent: SelectedAgent = {
        ...chosen.agent,
        command: node,
        args: [...dragoman, ...proxyArguments(parsed, io.cwd)],
        protocol: undefined,
        remote: undefined,
      };
      try {
        await examineAgent(context, report, chosen, { ...chosen, agent }, connect);
      } catch (error) {
        throw withoutDoctorHint(error, agent);
      }
      report.conclude(`${agent.name} works through the proxy`);
    },
  });
}

/** Options that only the check itself uses. The proxy is started in the folder of `--cwd`. */
const OWN: ReadonlySet<string> = new Set(["doctor", "color", "cwd", "trust-project"]);

/** The arguments of the same proxy, from any folder. Pure. */
export function proxyArguments(
  { values, words }: Pick<ParsedCommandLine, "values" | "words">,
  cwd: string,
): readonly string[] {
  const options = values.given().flatMap(([name, value]) => {
    if (OWN.has(name)) return [];
    if (value === undefined) return [`--${name}`];
    const isPath = isPlace(values.grammar.option(name)?.value);
    return [`--${name}=${isPath && !value.startsWith("~/") ? resolve(cwd, value) : value}`];
  });
  return ["proxy", ...options, ...(words.length === 0 ? [] : ["--", ...words])];
}

function isPlace(value: string | undefined): boolean {
  return value === "FILE" || value === "DIR";
}
