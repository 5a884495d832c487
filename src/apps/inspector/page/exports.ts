import { joinCommandLine } from "../../../base/index.ts";
import { exportMarkdown, itemMarkdown } from "../export/markdown.ts";
import { firstWords } from "../../../trace/index.ts";
import type { App } from "./app.ts";
import { formatLink } from "./link.ts";
import { count } from "./parts/format.ts";
import { exportPage } from "../export/page.ts";
import { recordingLines } from "../export/recording.ts";
import { exportTraceEvents } from "../export/trace-events.ts";
import { findingsJson } from "../findings.ts";
import type { PageRecording } from "./recording.ts";
import { Slices } from "./work.ts";

export interface CopyChoice {
  readonly name: string;
  readonly text: () => string;
}

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
  const choices: CopyChoice[] = [];
  const add = (name: string, text: () => string): void => void choices.push({ name, text });
  if (hasRow) {
    add(`Raw line of ${number}`, () => frames.line(row));
    add(`Pretty JSON of ${number}`, () => pretty(frames.line(row)));
    if (chosen.path !== "") {
      add(`Value of ${chosen.path.slice(1)}`, () => valueText(chosen.value));
      add("Its path", () => chosen.path.slice(1));
    }
  }
  if (item) add("This item as Markdown", () => itemMarkdown(model, item));
  if (turn >= 0)
    add(`Frames of turn ${count(turn + 1)} as JSON Lines`, () =>
      jsonLines(app, (at) => frames.turn(at) === turn),
    );
  if (rows)
    add(`${count(rows.length)} filtered frames as JSON Lines`, () =>
      rows.map((at) => frames.line(at)).join("\n"),
    );
  add("Conversation as Markdown", () => exportMarkdown(model));
  add("Link to this place", () => linkText(app));
  if (hasRow && frames.direction(row) === "out") {
    const agent = command.length > 0 ? joinCommandLine(command) : "AGENT";
    add(
      `Command that sends ${number}`,
      () => `printf '%s\\n' ${word(frames.line(row))} | ${agent}`,
    );
  }
  if (prompt)
    add("Command that replays this recording", () => {
      const agent = word(`dragoman replay ${joinCommandLine([info.name])}`);
      return `dragoman --agent-command ${agent} ${word(firstWords(model, prompt.prompt))}`;
    });
  return choices;
}

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

export async function copyText(app: App, { name, text }: CopyChoice): Promise<void> {
  try {
    await navigator.clipboard.writeText(text());
    app.say(`Copied: ${name}`);
  } catch {
    app.say("The browser did not allow copying.");
  }
}

export interface DownloadChoice {
  readonly name: string;
  readonly note: string;
  readonly file: string;
  readonly content: () => Promise<Blob>;
}

/** A page with more than this would open slowly or not at all. */
const MOST_PAGE_BYTES = 100e6;

/** Everything that can be exported. `rows` are the frames of the filtered list. */
export function downloadChoices(
  recording: PageRecording,
  rows: readonly number[] | undefined,
): readonly DownloadChoice[] {
  const { model, info } = recording;
  const base = (info.name.replace(/^.*[/\\]/, "") || "session").replace(/\.jsonl?$/i, "");
  const plain = (text: string, type: string): Promise<Blob> =>
    Promise.resolve(new Blob([text], { type }));
  const choice = (
    name: string,
    note: string,
    ending: string,
    content: () => Promise<Blob>,
  ): DownloadChoice => ({ name, note, file: `${base}.${ending}`, content });
  return [
    choice(
      "One HTML page",
      "This page with the recording inside. It opens by double-click, offline.",
      "html",
      () => pageFile(recording),
    ),
    choice("Recording", "For dragoman inspect and dragoman replay.", "jsonl", () =>
      recordingFile(recording),
    ),
    ...(rows
      ? [
          choice(
            "Filtered frames",
            "A recording of only the frames that pass the filter.",
            "filtered.jsonl",
            () => recordingFile(recording, rows),
          ),
        ]
      : []),
    choice("Conversation", "Markdown, to read or to attach to an issue.", "md", () =>
      plain(exportMarkdown(model), "text/markdown"),
    ),
    choice("Trace", "For Perfetto and chrome://tracing.", "trace.json", () =>
      plain(JSON.stringify(exportTraceEvents(model)), "application/json"),
    ),
    choice(
      "Findings",
      "The same JSON that dragoman inspect --findings json prints.",
      "findings.json",
      async () => plain(findingsJson(await recording.allFindings()), "application/json"),
    ),
  ];
}

/** Writes a file, and says so or why not. */
export async function download(app: App, { file, content }: DownloadChoice): Promise<void> {
  app.say(`Writing ${file} …`);
  try {
    const url = URL.createObjectURL(await content());
    const link = document.createElement("a");
    link.href = url;
    link.download = file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
    app.say(`Written: ${file}`);
  } catch (error) {
    app.say(error instanceof Error ? error.message : String(error));
  }
}

/** The recording in pieces, with pauses in which the page stays responsive. */
async function* pieces(
  { model }: PageRecording,
  rows?: readonly number[],
): AsyncGenerator<string, void, undefined> {
  const slices = new Slices();
  let piece = "";
  // Whoever gave the page its data has removed the secrets, unless the user wanted to keep them.
  for (const line of recordingLines(model, rows)) {
    piece += line;
    if (piece.length < 64 * 1024) continue;
    yield piece;
    piece = "";
    await slices.next();
  }
  yield piece;
}

async function recordingFile(recording: PageRecording, rows?: readonly number[]): Promise<Blob> {
  const parts: string[] = [];
  for await (const piece of pieces(recording, rows)) parts.push(piece);
  return new Blob(parts, { type: "application/x-ndjson" });
}

async function pageFile(recording: PageRecording): Promise<Blob> {
  const encoder = new TextEncoder();
  const source = pieces(recording);
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: async (controller) => {
      const { value, done } = await source.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  });
  const zipped = await new Response(stream.pipeThrough(new CompressionStream("gzip"))).blob();
  if (zipped.size > MOST_PAGE_BYTES)
    throw new Error("Too large for one page. Export filtered frames instead.");
  const { info } = recording;
  const findings = await recording.allFindings();
  const fields = await recording.askFields();
  const session = { info, recording: await base64(zipped), findings, fields };
  return new Blob([exportPage(pageText(), [session])], { type: "text/html" });
}

function base64(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => {
      const text = typeof reader.result === "string" ? reader.result : "";
      resolve(text.slice(text.indexOf(",") + 1));
    });
    reader.addEventListener("error", () => reject(new Error("could not read the recording")));
    reader.readAsDataURL(blob);
  });
}

/** The text of this page without any data, as the build made it. */
function pageText(): string {
  const { script = "", style = "" } = document.documentElement.dataset;
  const head = document.head.innerHTML.replace(/<meta http-equiv[^>]*>/, "<!--csp-->");
  const code = document.querySelector('script[type="module"]')?.outerHTML ?? "";
  return `<!doctype html>
<html lang="en" data-script="${script}" data-style="${style}">
<head>${head}</head>
<body>
<!--data-->
${code}
</body>
</html>
`;
}
