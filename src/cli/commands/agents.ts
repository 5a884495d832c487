import { CATALOGUE, commandShown, type CatalogueEntry } from "../agents/catalogue.ts";
import { findCommand, isInstalled } from "../agents/find.ts";
import type { ParsedCommandLine } from "../args/parse.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import type { Io } from "../io.ts";
import { eventLine } from "../render/json/events.ts";
import { plainResult } from "../render/renderer.ts";
import { table } from "../render/text/table.ts";
import { settingsOf } from "../agents/choose.ts";
import { createContext, expectNoWords } from "../run/context.ts";

interface Row {
  readonly name: string;
  readonly installed: boolean;
  readonly from: string;
  readonly command: string;
  readonly title: string;
  readonly install: string | undefined;
}

/** `dragoman agents`: lists the agents of the settings and the catalogue, and which are installed. */
export async function agentsCommand(
  { values, words }: ParsedCommandLine,
  io: Io,
): Promise<ExitCode> {
  expectNoWords("agents", words);
  const context = createContext(io, values);
  try {
    const settings = await settingsOf(context);
    for (const note of settings.notes) context.renderer.note(note);
    const rows: Row[] = [];
    for (const [name, { command, from, remote }] of settings.agents) {
      // An agent on a server needs nothing here.
      const installed = remote !== undefined || (await findCommand(command, io)) !== undefined;
      rows.push({ name, installed, from, command, title: "", install: undefined });
    }
    for (const entry of CATALOGUE) {
      if (!settings.agents.has(entry.name)) rows.push(await catalogueRow(entry, io));
    }
    if (context.mode === "text" || context.mode === "simple") context.screen.answer(asTable(rows));
    else if (context.mode !== "result")
      for (const row of rows) context.screen.json(eventLine("listed_agent", row));
    context.renderer.result(plainResult(io.now() - context.startedAt, undefined));
    await context.screen.drained();
    return EXIT.done;
  } finally {
    context.dispose();
  }
}

async function catalogueRow(entry: CatalogueEntry, io: Io): Promise<Row> {
  const { name, title, install } = entry;
  return {
    name,
    installed: await isInstalled(entry, io),
    from: typeof entry.command === "string" ? "catalogue" : "dragoman",
    command: commandShown(entry),
    title,
    install,
  };
}

function asTable(rows: readonly Row[]): string {
  return table(
    ["AGENT", "INSTALLED", "COMMAND", "ABOUT"],
    rows.map(({ name, installed, command, title, from, install }) => [
      name,
      installed ? "yes" : "no",
      command,
      [title, installed ? "" : (install ?? ""), title === "" ? from : ""]
        .filter(Boolean)
        .join("; "),
    ]),
  );
}
