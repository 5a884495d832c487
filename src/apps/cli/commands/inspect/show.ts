import type { InspectedSession } from "../../../inspector/index.ts";
import { EXIT, type ExitCode } from "../../shell/exit.ts";
import type { Context } from "../../context/context.ts";
import { openInspector } from "../../inspect/inspector.ts";
import { SourceSessions } from "./source-sessions.ts";
import type { SessionSources } from "./sources.ts";

/**
 * Shows files, or sessions of a fleet, on a page until a signal arrives. The page can be opened while they
 * are read. Throws a CliError for one that cannot be read.
 */
export async function showSessions(
  context: Context,
  from: SessionSources,
  names: readonly string[],
): Promise<ExitCode> {
  const { renderer, interrupts } = context;
  const inspector = await openInspector(context);
  const stopping = new AbortController();
  const { signal } = stopping;
  try {
    const titles = from.titles(names);
    const add = (title: string): InspectedSession => inspector.add(title);
    const sources = names.map((name, index) =>
      from.open(name, new SourceSessions(titles[index] ?? name, add, from.losses)),
    );
    // Before the browser opens: a file of an unknown format is the user's mistake.
    for (const source of sources) await source.readFirst();
    await inspector.announce(names.join(" and "));
    const followed = Promise.all(
      sources.map(async (source) => {
        const problem = await source.follow(signal);
        if (problem !== undefined) renderer.note(problem);
      }),
    );
    await new Promise<void>((resolve) => {
      interrupts.listen({ first: () => resolve() });
    });
    stopping.abort();
    await followed;
    return EXIT.done;
  } finally {
    stopping.abort();
    await inspector.close();
  }
}
