import { joinCommandLine } from "../../../base/index.ts";
import { exportMarkdown, itemMarkdown } from "../export/markdown.ts";
import { firstWords } from "../../../trace/index.ts";
import type { App } from "./app.ts";
import { formatLink } from "./link.ts";
import { count } from "./parts/format.ts";

/** Something that can be copied. */
export interface CopyChoice {
  readonly name: string;
  readonly text: () => string;
}

/** A part of a frame that was chosen. */
export interface ChosenPart {
  readonly path: string;
  readonly value: unknown;
}

/** Everything that can be copied now. `rows` are the frames of the filtered list. */
export function copyChoices(
  app: App,
  chosen: ChosenPart,
  rows: readonly number[] | undefined,
): readonly CopyChoice[] {
  const { recording, link } = app;
  if (!recording) return [];
  const { model, info } = recording;
  const { frames } = model;
  const { row } = link;
  const number = `#${count(row + 1)}`;
  const hasRow = row >= 0 && row < frames.count;
  const item = hasRow ? model.items[frames.item(row)] : undefined;
  const turn = hasRow ? frames.turn(row) : -1;
  const prompt = model.turns[turn] ?? model.turns[0];
  const command = model.header.agent?.command ?? [];
  return [
    ...(hasRow
      ? [
          { name: `Raw line of ${number}`, text: () => frames.line(row) },
          { name: `Pretty JSON of ${number}`, text: () => pretty(frames.line(row)) },
        ]
      : []),
    ...(hasRow && chosen.path !== ""
      ? [
          { name: `Value of ${chosen.path.slice(1)}`, text: () => valueText(chosen.value) },
          { name: "Its path", text: () => chosen.path.slice(1) },
        ]
      : []),
    ...(item ? [{ name: "This item as Markdown", text: () => itemMarkdown(model, item) }] : []),
    ...(turn >= 0
      ? [
          {
            name: `Frames of turn ${count(turn + 1)} as JSON Lines`,
            text: () => jsonLines(app, (at) => frames.turn(at) === turn),
          },
        ]
      : []),
    ...(rows
      ? [
          {
            name: `${count(rows.length)} filtered frames as JSON Lines`,
            text: () => rows.map((at) => frames.line(at)).join("\n"),
          },
        ]
      : []),
    { name: "Conversation as Markdown", text: () => exportMarkdown(model) },
    { name: "Link to this place", text: () => linkText(app) },
    ...(hasRow && frames.direction(row) === "out"
      ? [
          {
            name: `Command that sends ${number}`,
            text: () =>
              `printf '%s\\n' ${word(frames.line(row))} | ${command.length > 0 ? joinCommandLine(command) : "AGENT"}`,
          },
        ]
      : []),
    ...(prompt
      ? [
          {
            name: "Command that replays this recording",
            text: () =>
              `dragoman --agent-command ${word(`dragoman replay ${joinCommandLine([info.name])}`)} ${word(firstWords(model, prompt.prompt))}`,
          },
        ]
      : []),
  ];
}

/** One word for a shell. */
function word(text: string): string {
  return joinCommandLine([text]);
}

function jsonLines({ model }: App, passes: (row: number) => boolean): string {
  const found: string[] = [];
  if (model)
    for (let row = 0; row < model.frames.count; row++)
      if (passes(row)) found.push(model.frames.line(row));
  return found.join("\n");
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

function valueText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, undefined, 2) ?? "");
}

/** The address without the token, which is not part of it anymore. */
function linkText({ link }: App): string {
  return location.href.replace(/#.*$/, "") + formatLink(link);
}

/** Copies a text, and says so. */
export async function copyText(app: App, { name, text }: CopyChoice): Promise<void> {
  try {
    await navigator.clipboard.writeText(text());
    app.say(`Copied: ${name}`);
  } catch {
    app.say("The browser did not allow copying.");
  }
}
