import { exportMarkdown } from "../export/markdown.ts";
import { exportPage } from "../export/page.ts";
import { recordingLines } from "../export/recording.ts";
import { exportTraceEvents } from "../export/trace-events.ts";
import { findingsJson } from "../findings/finding.ts";
import type { App } from "./app.ts";
import type { PageRecording } from "./recording.ts";
import { Slices } from "./slices.ts";

/** A file that the page can write. */
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
  return [
    {
      name: "One HTML page",
      note: "This page with the recording inside. It opens by double-click, offline.",
      file: `${base}.html`,
      content: () => pageFile(recording),
    },
    {
      name: "Recording",
      note: "For dragoman inspect and dragoman replay.",
      file: `${base}.jsonl`,
      content: () => recordingFile(recording, undefined),
    },
    ...(rows
      ? [
          {
            name: "Filtered frames",
            note: "A recording of only the frames that pass the filter.",
            file: `${base}.filtered.jsonl`,
            content: () => recordingFile(recording, rows),
          },
        ]
      : []),
    {
      name: "Conversation",
      note: "Markdown, to read or to attach to an issue.",
      file: `${base}.md`,
      content: () => plain(exportMarkdown(model), "text/markdown"),
    },
    {
      name: "Trace",
      note: "For Perfetto and chrome://tracing.",
      file: `${base}.trace.json`,
      content: () => plain(JSON.stringify(exportTraceEvents(model)), "application/json"),
    },
    {
      name: "Findings",
      note: "The same JSON that dragoman inspect --findings json prints.",
      file: `${base}.findings.json`,
      content: async () => plain(findingsJson(await recording.allFindings()), "application/json"),
    },
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
  rows: readonly number[] | undefined,
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

async function recordingFile(
  recording: PageRecording,
  rows: readonly number[] | undefined,
): Promise<Blob> {
  const parts: string[] = [];
  for await (const piece of pieces(recording, rows)) parts.push(piece);
  return new Blob(parts, { type: "application/x-ndjson" });
}

async function pageFile(recording: PageRecording): Promise<Blob> {
  const encoder = new TextEncoder();
  const source = pieces(recording, undefined);
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
