import { runCommand } from "../../connect/run-command.ts";
import { converse, examineAgent, shakeHands, Report } from "../../doctor/examine.ts";
import { usageError, type ExitCode, asHint, CliError } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import type { ParsedCommandLine } from "../../shell/parse.ts";
import { spawn } from "node:child_process";
import {
  type JsonObject,
  redactText,
  runChild,
  parseJsonObject,
  stringField,
  stringsField,
  sanitizeLine,
} from "../../../../base/index.ts";
import { chooseAgent, type SelectedAgent } from "../../agents/select.ts";
import type { Context } from "../../context/context.ts";
import { withoutDoctorHint } from "../../agents/hints.ts";

/** `dragoman doctor [AGENT]`: exits with 0 only if a prompt would work; with `--prompt`, only if one did. */
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

/** Runs `droid-acp --doctor`, which can check more of Droid than an ACP client can. */
async function examineDroid(context: Context, report: Report, agent: SelectedAgent): Promise<void> {
  const { io, screen, values, interrupts } = context;
  const model = values.text("model");
  const args = [
    ...agent.args,
    "--doctor",
    "--json",
    ...(model === undefined ? [] : ["--model", model]),
  ];
  screen.status("asking droid-acp");
  const child = spawn(agent.command, args, {
    env: { ...io.env, ...agent.env },
    cwd: context.cwd,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stop = interrupts.listen({ first: () => void child.kill() });
  let stderr = "";
  let rest = "";
  let failed: CliError | undefined;
  try {
    const code = await runChild(child, {
      stdout: (text) => {
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) {
          const check = parseJsonObject(line);
          if (check === undefined) screen.printLine(sanitizeLine(line));
          else failed ??= reportCheck(report, check);
        }
      },
      stderr: (text) => {
        stderr += text;
      },
    });
    const interrupted = interrupts.error();
    if (interrupted !== undefined) throw interrupted;
    if (failed !== undefined) throw failed;
    if (code === 0) return;
    const exit = code === undefined ? "ended by a signal" : `exit code ${code}`;
    const what = "droid-acp --doctor failed";
    throw new CliError("cannotStart", { what, exit, stderr: redactText(stderr) });
  } finally {
    stop();
  }
}

/** Reports one check from the adapter. Returns the failure if the check failed. */
function reportCheck(report: Report, check: JsonObject): CliError | undefined {
  const text = (key: string): string => redactText(stringField(check, key) ?? "");
  const [step, detail, advice] = [text("name"), text("message"), text("advice")];
  const ok = check["result"] !== "failed";
  const tried = stringsField(check, "tried");
  report.print({
    step,
    ok,
    detail,
    ms: Number(check["ms"]),
    ...(ok && advice !== "" ? { advice } : {}),
    ...(tried.length === 0 ? {} : { tried }),
  });
  if (ok) return undefined;
  const hint = advice === "" ? undefined : asHint(advice);
  return new CliError(step === "access" ? "auth" : "cannotStart", { what: detail, hint });
}
