import { resolve } from "node:path";
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import {
  contentLeft,
  type ContentLeft,
  type EmbeddedSession,
  exportPage,
  InspectedSession,
} from "../../../inspector/index.ts";
import { SessionModel } from "../../../../trace/index.ts";
import { hasCode, messageOf, counted } from "../../../../base/index.ts";
import { RecordingReader } from "../../../../transport/wire/index.ts";
import { EXIT, type ExitCode, usageError } from "../../shell/exit.ts";
import type { Context } from "../../context/context.ts";
import { readPage, writeNewFile } from "../../inspect/inspector.ts";
import { SourceSessions } from "./source-sessions.ts";
import type { SessionSources } from "./sources.ts";

/** A page with more compressed data than this takes a browser too long to open. */
const MAX_GZIP_BYTES = 100 * 1000 * 1000;

/** Writes a page that holds the sessions. Prints what it still contains. Throws a CliError. */
export async function exportSessions(
  context: Context,
  from: SessionSources,
  target: string,
  names: readonly string[],
): Promise<ExitCode> {
  const { io, values, renderer } = context;
  const keepSecrets = values.flag("keep-secrets");
  const page = await readPage(context);
  const sessions: InspectedSession[] = [];
  const add = (name: string): InspectedSession => {
    const session = new InspectedSession(String(sessions.length + 1), { name, keepSecrets });
    sessions.push(session);
    return session;
  };
  try {
    const titles = from.titles(names);
    for (const [index, name] of names.entries())
      await from.open(name, new SourceSessions(titles[index] ?? name, add, from.losses)).read();
    const embedded: EmbeddedSession[] = [];
    for (const session of sessions) embedded.push(await embed(session, keepSecrets));
    await writeTarget(target, io.cwd, exportPage(page, embedded));
    renderer.note(`wrote ${target}`);
    for (const session of sessions) {
      for (const { text } of session.losses) renderer.note(`${session.name}: ${text}`);
      renderer.note(`${session.name}: ${await leftText(session)}`);
    }
    return EXIT.done;
  } finally {
    await Promise.all(sessions.map(({ log }) => log.close()));
  }
}

async function embed(session: InspectedSession, keepSecrets: boolean): Promise<EmbeddedSession> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const zipped: AsyncIterable<Buffer> = Readable.from(contentOf(session)).pipe(createGzip());
  for await (const chunk of zipped) {
    bytes += chunk.length;
    if (bytes > MAX_GZIP_BYTES)
      throw usageError(`${session.name} is too large for a page: over 100 MB compressed`);
    chunks.push(chunk);
  }
  const { findings, fields } = await session.judge.judged();
  const recording = Buffer.concat(chunks).toString("base64");
  return { info: { ...session.info, redacted: !keepSecrets }, recording, findings, fields };
}

async function* contentOf({ log }: InspectedSession): AsyncGenerator<Buffer, void, undefined> {
  for (let position = 0; position < log.bytes;) {
    const bytes = await log.read(position);
    position += bytes.length;
    yield bytes;
  }
}

/** The file may be sent to other people, so it is never written over another one. */
async function writeTarget(target: string, cwd: string, text: string): Promise<void> {
  await writeNewFile(resolve(cwd, target), text).catch((error: unknown) => {
    if (hasCode(error, "EEXIST"))
      throw usageError(`--export ${target}: there is a file of that name`, "another name");
    throw usageError(`could not write --export ${target}: ${messageOf(error)}`);
  });
}

/** The content that the page holds after the removal of secrets, for a person who is about to share it. */
async function leftText(session: InspectedSession): Promise<string> {
  const model = new SessionModel();
  const reader = new RecordingReader({
    header: () => {},
    entry: (entry) => void model.append(entry),
  });
  for await (const bytes of contentOf(session)) reader.push(bytes);
  const { redacted, hidden } = session.info;
  const secrets =
    redacted === true ? `${counted(hidden ?? 0, "secret")} hidden` : "secrets were kept";
  const left = contentText(contentLeft(model));
  return `${secrets}; it holds ${left === "" ? "no content" : left}`;
}

function contentText(left: ContentLeft): string {
  const { prompts, messages, thoughts, toolCalls, files, terminals, stderrLines } = left;
  const parts: readonly (readonly [number, string])[] = [
    [prompts, "prompt"],
    [messages, "message"],
    [thoughts, "thought"],
    [toolCalls, "tool call"],
    [files, "file request"],
    [terminals, "terminal"],
    [stderrLines, "stderr line"],
  ];
  return parts
    .filter(([count]) => count > 0)
    .map(([count, what]) => counted(count, what))
    .join(", ");
}
