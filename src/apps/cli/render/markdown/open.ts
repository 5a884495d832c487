import type { Environment, Output } from "../../shell/io.ts";
import { DraftRows } from "../terminal/draft-rows.ts";
import { reflowsOnResize } from "../terminal/live-area.ts";
import type { Screen } from "../terminal/screen.ts";
import type { Style } from "../terminal/style.ts";
import { showsLinks } from "./links.ts";
import { LiveRows } from "./live-rows.ts";
import { MarkdownStream } from "./stream.ts";

/** The terminal that shows the answer. */
export interface AnswerTerminal {
  readonly output: Output;
  readonly env: Environment;
  readonly style: Style;
}

/** Terminals of unknown size, such as those of some build servers. */
const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;

/** Starts to render Markdown on the screen. */
export function openMarkdown(
  screen: Screen,
  { output, env, style }: AnswerTerminal,
): MarkdownStream {
  const { hasFooter } = screen;
  const stream = new MarkdownStream({
    write: (text) => screen.answer(text),
    // Some terminals report zero columns.
    size: () => ({
      columns: output.columns() || DEFAULT_COLUMNS,
      rows: output.rows() || DEFAULT_ROWS,
    }),
    // Above the prompt of a chat, only the screen itself may move the cursor.
    rows: hasFooter ? new DraftRows(screen) : new LiveRows(reflowsOnResize(env)),
    style,
    links: showsLinks(env),
  });
  screen.live = stream;
  // With a footer, the screen draws the rows again.
  if (!hasFooter) output.onResize(() => stream.redraw());
  return stream;
}
