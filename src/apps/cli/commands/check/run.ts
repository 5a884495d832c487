import { CHECK_OPTIONS } from "./declaration.ts";
import {
  type AgentCheckOptions,
  checkAgent,
  type CheckReport,
  judge,
  reportRedactor,
  shownAs,
} from "../../../../conformance/check/index.ts";
import type { CheckedSide } from "../../../../conformance/index.ts";
import type { Values } from "../../shell/parse.ts";
import { type ExitCode, usageError } from "../../shell/exit.ts";
import { type Context, interruptible } from "../../context/context.ts";
import { clientCheck, agentSubject } from "./subject.ts";
import { openBaseline, CaseRecordings, reportFiles } from "./files.ts";
import { checkView, conclude } from "./report.ts";
import {
  checkChoice,
  type CheckChoice,
  type RunSettings,
  runSettings,
  repeatLine,
} from "./options.ts";
import { Progress } from "./terminal.ts";
import { checkRecordings } from "./recordings.ts";

/** Checks the agent or the client of the command line, and returns the exit code. Throws a CliError. */
export async function runCheck(
  context: Context,
  side: CheckedSide,
  rest: readonly string[],
): Promise<ExitCode> {
  const { io, screen } = context;
  const values = context.values.with(CHECK_OPTIONS);
  const choice = checkChoice(values, side);
  const settings = await runSettings(values, io, side);
  const baseline = await openBaseline(values, io, choice);
  const files = await reportFiles(values, io);
  const { secrets, check } = await openCheck(context, choice, settings, rest);
  const recordings = await CaseRecordings.open(values.text("record-dir"), io, side);
  const redactor = reportRedactor(secrets);
  const progress = new Progress(screen, {
    requirements: shownRequirements(choice, values.text("recordings") !== undefined),
    shown: shownAs({ level: choice.level, baseline: baseline.baseline }),
    view: checkView(context),
  });
  const found = await interruptible(context, (signal) =>
    check({
      signal,
      // An interrupted run has no report, and everything that it did not reach would only say so.
      onResult: (result) => {
        if (!signal.aborted) progress.add(redactor.result(result));
      },
      onTranscript: (transcript) => recordings?.add(transcript, secrets),
    }),
  ).finally(() => screen.status(undefined));
  const report = redactor.report({ ...found, repeat: repeatLine(values, side, rest) });
  // The closing lines give the reason once; the requirements would only repeat it.
  if (report.summary.ended !== "cannot start") progress.finish(report.results);
  await recordings?.end();
  const accepted = await baseline.update(report);
  return conclude(context, [{ report, verdict: judge(report, choice.level, accepted) }], files);
}

/** Recordings can only show rules about all traffic, so the others are not printed one by one. */
function shownRequirements({ requirements, ids }: CheckChoice, areRecorded: boolean) {
  return requirements.filter(
    ({ id, provoked }) => ids.has(id) && (!areRecorded || provoked === "passive"),
  );
}

interface OpenCheck {
  /** The values that no report may show. */
  readonly secrets: readonly string[];
  readonly check: (hooks: CheckHooks) => Promise<CheckReport>;
}

type CheckHooks = Required<Pick<AgentCheckOptions, "signal" | "onResult" | "onTranscript">> & {
  readonly signal: AbortSignal;
};

async function openCheck(
  context: Context,
  choice: CheckChoice,
  settings: RunSettings,
  rest: readonly string[],
): Promise<OpenCheck> {
  const { side, protocol, ids } = choice;
  const folder = context.values.with(CHECK_OPTIONS).text("recordings");
  if (folder !== undefined) {
    expectNoSubject(context.values, rest);
    const check = ({ signal }: CheckHooks) => checkRecordings(context, folder, choice, signal);
    return { secrets: [], check };
  }
  if (side === "client")
    return { secrets: [], check: clientCheck(context.io, choice, settings, rest) };
  const { subject, secrets, ...known } = await agentSubject(context, settings, rest);
  const { model, prompts = known.prompts, authMethod, jobs, timeoutMs } = settings;
  const optIn = new Set(
    choice.requirements.flatMap((one) => (choice.named.has(one.id) ? (one.optIn ?? []) : [])),
  );
  const options = { subject, protocol, ids, model, prompts, authMethod, optIn, jobs, timeoutMs };
  return { secrets, check: (hooks) => checkAgent({ ...options, ...hooks }) };
}

function expectNoSubject(values: Values, rest: readonly string[]): void {
  const names = (["agent", "agent-url"] as const).filter((name) => values.names().includes(name));
  if (rest.length > 0 || names.length > 0)
    throw usageError("--recordings starts nothing, so it takes no agent and no command");
}
