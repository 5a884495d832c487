import { chooseAgent } from "../../agents/choose.ts";
import { runCommand } from "../../connect/command.ts";
import { converse, examineAgent, shakeHands, withoutDoctorHint } from "../../doctor/examine.ts";
import { Report } from "../../doctor/report.ts";
import { usageError, type ExitCode } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import type { ParsedCommandLine } from "../../shell/parse.ts";
import { examineDroid } from "./droid.ts";

/**
 * `dragoman doctor [agent]`: checks an agent. Exits with 0 only if a prompt would work; with `--prompt`,
 * only if one did.
 */
export function run({ values, words }: ParsedCommandLine, io: Io): Promise<ExitCode> {
  if (words.length > 1) throw usageError("doctor takes one agent");
  return runCommand(io, values, {
    run: async (context, connect) => {
      const report = new Report(context);
      const chosen = await chooseAgent(context, words[0]);
      const { agent } = chosen;
      try {
        if (agent.from === "catalogue" && agent.name === "droid") {
          await examineDroid(context, report, agent);
          // That check does not speak the protocol.
          if (values.flag("prompt")) await converse(report, context, chosen, connect);
          else if (context.protocol !== undefined) await shakeHands(report, chosen, connect);
        } else {
          await examineAgent(context, report, chosen, chosen, connect);
        }
      } catch (error) {
        throw withoutDoctorHint(error, agent);
      }
      report.conclude(
        values.flag("prompt") ? `${agent.name} answered a prompt` : `${agent.name} works`,
      );
    },
  });
}
