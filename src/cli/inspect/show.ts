import { EXIT, type ExitCode } from "../exit.ts";
import type { Context } from "../run/context.ts";
import { FileSessions, shownNames } from "./file-sessions.ts";
import { openInspector } from "./inspector.ts";
import { RecordedFile } from "./recorded-file.ts";

/**
 * Shows files on a page until a signal arrives. The page can be opened while they are read. Throws a usage
 * error for a file that cannot be read.
 */
export async function showFiles(context: Context, names: readonly string[]): Promise<ExitCode> {
  const { io, renderer, interrupts } = context;
  const inspector = await openInspector(context);
  const stopping = new AbortController();
  const { signal } = stopping;
  try {
    const shown = shownNames(names);
    const files = names.map((name, index) => {
      const sessions = new FileSessions(shown[index] ?? name, (title) => inspector.add(title));
      return new RecordedFile(name, io.cwd, sessions);
    });
    // Before the browser opens: a file that is none of the formats is the user's mistake.
    for (const file of files) await file.readFirst();
    await inspector.announce(names.join(" and "));
    const followed = Promise.all(
      files.map(async (file) => {
        const problem = await file.follow(signal);
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
