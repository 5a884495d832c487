import { counted } from "../../../../base/index.ts";
import { COMPARE_OPTIONS } from "./declaration.ts";
import type { ParsedCommandLine, Values } from "../../shell/parse.ts";
import { colourChoice } from "../../shell/values.ts";
import { CliError, usageError, type ExitCode } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { eventLine } from "../../render/json/events.ts";
import type { ResultFacts } from "../../render/renderer.ts";
import { sanitiseLine } from "../../render/terminal/sanitise.ts";
import { styleFor } from "../../render/terminal/style.ts";
import { runCommand, type AgentCommand } from "../../connect/command.ts";
import type { Context } from "../../context/context.ts";
import type { Compared } from "./compare.ts";
import { readPrompt } from "../../prompt/read.ts";

/** `dragoman compare`: runs a prompt with several agents, or applies the changes of one of them. */
export function run({ values, words }: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const keep = values.with(COMPARE_OPTIONS).text("keep");
  if (keep === undefined) return runCommand(io, values, new CompareCommand(words, namesOf(values)));
  if (words.length > 0 || values.text("agent") !== undefined)
    throw usageError("--keep takes neither a prompt nor agents", `dragoman compare --keep ${keep}`);
  return runCommand(io, values, { run: (context) => keepChanges(context, keep) });
}

/** The agents of `-a A,B`. Throws a usage error for fewer than two. */
function namesOf(values: Values): readonly string[] {
  const names = (values.text("agent") ?? "").split(",").map((name) => name.trim());
  const filled = names.filter((name) => name !== "");
  if (new Set(filled).size !== filled.length)
    throw usageError("compare needs different agents, and one is named twice");
  if (filled.length < 2)
    throw usageError(
      "compare needs at least two agents",
      "dragoman compare -a droid,claude PROMPT",
    );
  return filled;
}

class CompareCommand implements AgentCommand {
  readonly #words: readonly string[];
  readonly #names: readonly string[];
  #compared: readonly Compared[] = [];

  constructor(words: readonly string[], names: readonly string[]) {
    this.#words = words;
    this.#names = names;
  }

  async run(context: Context): Promise<void> {
    if (context.mode === "jsonl")
      throw usageError("compare has no raw frames of several agents", "-o events, or -o result");
    const prompt = await readPrompt(context, this.#words, false);
    const { compareAgents } = await import("./compare.ts");
    for (const note of prompt.notes) context.renderer.note(note);
    this.#compared = await compareAgents(context, this.#names, prompt.blocks, (one) => {
      if (context.mode === "events") context.screen.json(eventLine("compared", one));
    });
    await this.#show(context);
    const failed = this.#compared.find(({ error }) => error !== null);
    if (!failed?.error) return;
    const { kind, ...details } = failed.error;
    const what = details.what.includes(failed.agent)
      ? details.what
      : `${failed.agent}: ${details.what}`;
    throw new CliError(kind, { ...details, what });
  }

  facts(): Partial<ResultFacts> {
    return { compared: this.#compared };
  }

  async #show({ mode, screen, io, values, renderer }: Context): Promise<void> {
    if (mode !== "text" && mode !== "simple") return;
    const { comparisonText } = await import("./show.ts");
    const columns = io.stdout.isTty ? (io.stdout.columns() ?? 80) : undefined;
    const style = styleFor(colourChoice(values), io.env, io.stdout);
    screen.status(undefined);
    screen.answer(comparisonText(this.#compared, { columns, style }));
    await screen.drained();
    if (this.#compared.some(({ files }) => files.length > 0))
      renderer.note("your files are unchanged; apply one result with compare --keep NAME");
  }
}

async function keepChanges(context: Context, name: string): Promise<void> {
  const { io, mode, screen, renderer } = context;
  const { keepResult } = await import("./keep.ts");
  const files = await keepResult(context, name);
  if (mode === "events") screen.json(eventLine("kept", { agent: name, files }));
  if (mode === "text" || mode === "simple")
    for (const { path } of files) screen.answer(`${io.stdout.isTty ? sanitiseLine(path) : path}\n`);
  const count = counted(files.length, "file");
  renderer.note(
    files.length === 0 ? `${name} changed nothing` : `applied the changes of ${name} to ${count}`,
  );
}
