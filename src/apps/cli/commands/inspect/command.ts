import {
  joinCommandLine,
  hasCode,
  messageOf,
  counted,
  sanitizeLine,
} from "../../../../base/index.ts";
import type { ParsedCommandLine } from "../../shell/parse.ts";
import { choiceOption, pageOption } from "../../shell/option-values.ts";
import { type CliError, type ExitCode, usageError, EXIT } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { fileSources, type SessionSources, SourceSessions } from "./sources.ts";
import { type Context, runForPeople } from "../../context/context.ts";
import {
  contentLeft,
  type EmbeddedSession,
  exportPage,
  InspectedSession,
  entryRedactor,
  type Finding,
  findingsJson,
  SessionFindings,
} from "../../../inspector/index.ts";
import { openInspector, readPage, writeNewPrivateFile } from "../../inspect/inspector.ts";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { SessionModel, type SessionEntry } from "../../../../trace/index.ts";
import { RecordingReader } from "../../../../transport/wire/index.ts";
import { FINDINGS_FORMATS } from "../../shell/options.ts";

/** `dragoman inspect`: shows recordings or sessions of a fleet, or relays between an editor and an agent. */
export async function run(parsed: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const { values, words, rest } = parsed;
  const names = words.slice(0, words.length - rest.length);
  const isWire = rest.length > 0 || values.text("agent") !== undefined;
  const problem = contradiction(parsed, names, isWire);
  if (problem) throw problem;
  if (isWire) {
    // The terminal belongs to the editor, which may run in it, so no question is asked there.
    const quiet = { ...io, openTerminal: () => undefined };
    const { relay } = await import("./relay.ts");
    const commandLine = rest.length > 0 ? joinCommandLine(rest) : undefined;
    return runForPeople(quiet, values, (context) => relay(context, commandLine));
  }
  return runForPeople(io, values, async (context) => {
    const from = await sourcesOf(context);
    try {
      return await inspectSources(context, from, names);
    } finally {
      await from.close();
    }
  });
}

async function sourcesOf(context: Context): Promise<SessionSources> {
  if (context.values.list("nats").length > 0)
    return (await import("./fleet-log.ts")).fleetSources(context);
  return fileSources(context.io.cwd);
}

async function inspectSources(
  context: Context,
  from: SessionSources,
  names: readonly string[],
): Promise<ExitCode> {
  const { values } = context;
  const format = choiceOption(values, "findings", FINDINGS_FORMATS);
  if (format !== undefined) return printFindings(context, from, format, names);
  const target = values.text("export");
  if (target !== undefined) return exportSessions(context, from, target, names);
  return inspectSessions(context, from, names);
}

const MOST_NAMES = 2;
const NATS_OPTIONS = ["nats-credentials", "nats-ca", "nats-cert", "nats-key"] as const;

function contradiction(
  { values, rest }: ParsedCommandLine,
  names: readonly string[],
  isWire: boolean,
): CliError | undefined {
  const given = (["export", "findings"] as const).filter((name) => values.text(name) !== undefined);
  const [first, second] = given;
  const usage = "dragoman inspect FILE, dragoman inspect -a NAME, or dragoman inspect -- COMMAND";
  const isFleet = values.list("nats").length > 0;
  const natsOption = NATS_OPTIONS.find((name) => values.text(name) !== undefined);
  if (!isFleet && natsOption !== undefined) return usageError(`--${natsOption} needs --nats`);
  if (isWire && isFleet) return usageError("--nats and an agent contradict each other", usage);
  if (isWire && names.length > 0)
    return usageError(`inspect shows ${names[0]} or an agent, not both`, usage);
  if (rest.length > 0 && values.text("agent") !== undefined)
    return usageError("-a and a command contradict each other", usage);
  if (isWire && first !== undefined) return usageError(`--${first} needs a file`, usage);
  if (isFleet && names.length === 0)
    return usageError("inspect --nats needs a session", "dragoman inspect --nats URL SESSION");
  if (!isWire && names.length === 0)
    return usageError("inspect needs a recording or an agent", usage);
  if (names.length > MOST_NAMES)
    return usageError(`inspect compares two ${isFleet ? "sessions" : "files"} at most`, usage);
  if (second !== undefined) return usageError(`--${first} and --${second} contradict each other`);
  const idle = pageOption(values);
  // Only a page on a server has an address; every page can keep secrets.
  if (first !== undefined && idle !== undefined && idle !== "keep-secrets")
    return usageError(`--${idle} and --${first} contradict each other`);
  return undefined;
}

/** Shows files, or sessions of a fleet, on a page until a signal arrives. */
export async function inspectSessions(
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
  await writeNewPrivateFile(resolve(cwd, target), text).catch((error: unknown) => {
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
  const left = contentLeft(model).map(([count, noun]) => counted(count, noun));
  return `${secrets}; it holds ${left.join(", ") || "no content"}`;
}

/** Prints findings, with secrets removed, because they quote frames. Returns 1 if there is an error among them. */
export async function printFindings(
  { values, screen }: Context,
  from: SessionSources,
  format: (typeof FINDINGS_FORMATS)[number],
  names: readonly string[],
): Promise<ExitCode> {
  const [name, ...more] = names;
  if (name === undefined || more.length > 0)
    throw usageError("--findings takes one file or session");
  const found = await findingsOf(from, name, values.flag("keep-secrets"));
  if (format === "json") screen.json(findingsJson(found));
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
  const findings = new SessionFindings();
  const sink = {
    header: () => {},
    entry: (entry: SessionEntry) => findings.add(redactor?.entry(entry) ?? entry),
    ended: () => {},
    resumed: () => {},
  };
  await from.open(name, sink).read();
  findings.finish();
  return findings.list;
}

function findingsText(found: readonly Finding[]): string {
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
    `       ${sanitizeLine(message)}`,
    `       rule: ${requirement}${source === "" ? "" : ` (${source})`}`,
    "",
  ].join("\n");
}
