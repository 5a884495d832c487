import { counted } from "../../../../base/index.ts";
import {
  entryRedactor,
  type Finding,
  findingsJson,
  SessionFindings,
} from "../../../inspector/index.ts";
import { type SessionEntry, SessionModel } from "../../../../trace/index.ts";
import { FINDINGS_FORMATS } from "../../shell/options.ts";
import { EXIT, type ExitCode, usageError } from "../../shell/exit.ts";
import { sanitiseLine } from "../../render/terminal/sanitise.ts";
import type { Context } from "../../context/context.ts";
import type { SessionSources } from "./sources.ts";

/**
 * Prints the findings about a file, or a session of a fleet. Returns 1 if there is an error among them.
 * Secrets are removed first, because findings quote the frames. Throws a CliError.
 */
export async function printFindings(
  { values, screen }: Context,
  from: SessionSources,
  format: string,
  names: readonly string[],
): Promise<ExitCode> {
  const known = FINDINGS_FORMATS.find((name) => name === format);
  if (known === undefined)
    throw usageError(`--findings "${format}" is not one of ${FINDINGS_FORMATS.join(", ")}`);
  const [name, ...more] = names;
  if (name === undefined || more.length > 0)
    throw usageError("--findings takes one file or session");
  const found = await findingsOf(from, name, values.flag("keep-secrets"));
  if (known === "json") screen.json(findingsJson(found));
  else screen.answer(findingsText(found));
  await screen.drained();
  return found.some(({ severity }) => severity === "error") ? EXIT.agentError : EXIT.done;
}

async function findingsOf(
  from: SessionSources,
  name: string,
  keepSecrets: boolean,
): Promise<readonly Finding[]> {
  const redactor = keepSecrets ? undefined : entryRedactor();
  const model = new SessionModel();
  const findings = new SessionFindings(model);
  const sink = {
    header: () => {},
    entry: (entry: SessionEntry) => {
      const frame = model.append(redactor?.entry(entry) ?? entry);
      if (frame) findings.saw(frame);
    },
    ended: () => {},
    resumed: () => {},
  };
  await from.open(name, sink).read();
  findings.finish();
  return findings.list;
}

/** The findings for people. Pure. */
export function findingsText(found: readonly Finding[]): string {
  if (found.length === 0) return "no findings\n";
  const errors = found.filter(({ severity }) => severity === "error").length;
  const notes = found.length - errors;
  const counts = [
    ...(errors > 0 ? [counted(errors, "error")] : []),
    ...(notes > 0 ? [counted(notes, "note")] : []),
  ];
  return `${found.map(findingText).join("\n")}\n${counts.join(", ")}\n`;
}

function findingText(finding: Finding): string {
  const { rule, severity, side, requirement, source, message, frames } = finding;
  const where = frames.length === 1 ? `frame ${frames[0]}` : `frames ${frames.join(", ")}`;
  return [
    `${severity.padEnd(5)}  ${rule}  ${side}  ${where}`,
    `       ${sanitiseLine(message)}`,
    `       rule: ${requirement}${source === "" ? "" : ` (${source})`}`,
    "",
  ].join("\n");
}
