import { AGENTS_OPTIONS } from "./declaration.ts";
import {
  joinCommandLine,
  messageOf,
  isJsonObject,
  startCommand,
  sanitizeLine,
} from "../../../../base/index.ts";
import { randomUUID, createHash } from "node:crypto";
import { readdir, rm, chmod, mkdir, readFile, realpath } from "node:fs/promises";
import { join, basename, relative, resolve } from "node:path";
import { CliError, usageError } from "../../shell/exit.ts";
import { askBeforeStart, interruptible, type Context } from "../../context/context.ts";
import {
  agentFolder,
  installedAgent,
  writeManifest,
  type InstalledAgent,
  findCommand,
} from "../../agents/installed.ts";
import {
  catalogueInstall,
  registryInstall,
  registryPlatform,
  type InstallPlan,
  type InstallSource,
  isSafeDownload,
} from "./install-plan.ts";
import type { Io } from "../../shell/io.ts";
import { createWriteStream } from "node:fs";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { MIB, readGivenFile } from "../../shell/regular-file.ts";
import { parseJson } from "../../settings/files.ts";

export async function installAgent(context: Context, name: string): Promise<void> {
  const plan = await planFor(context, name);
  const old = await installedAgent(context.io, name);
  if (old?.version === plan.version)
    return context.renderer.note(`${name} ${old.version} is already installed`);
  await carryOut(context, plan, old, old === undefined ? "Install it?" : "Replace it?");
}

/** `agents update NAME`: the same for an agent that Dragoman has installed, from where it came from. */
export async function updateAgent(context: Context, name: string): Promise<void> {
  const old = await expectInstalled(context, name);
  const plan = await planFor(context, name, old.registry);
  if (old.version === plan.version)
    return context.renderer.note(`${name} ${old.version} is up to date`);
  await carryOut(context, plan, old, `Replace ${old.version}?`);
}

export async function removeAgent(context: Context, name: string): Promise<void> {
  const { version } = await expectInstalled(context, name);
  const folder = agentFolder(context.io, name);
  print(context, [`${name} ${version}`, `  deletes     ${folder}`]);
  await expectConsent(context, "Remove it?");
  await rm(folder, { recursive: true, force: true });
  context.renderer.note(`removed ${name} ${version}`);
}

async function expectInstalled({ io }: Context, name: string): Promise<InstalledAgent> {
  const agent = await installedAgent(io, name);
  if (agent !== undefined) return agent;
  throw usageError(
    `${name} was not installed by dragoman agents install`,
    "dragoman agents lists the agents that were",
  );
}

async function planFor(context: Context, name: string, known?: string): Promise<InstallPlan> {
  const { io } = context;
  const values = context.values.with(AGENTS_OPTIONS);
  const registry = values.text("registry") ?? known;
  if (registry === undefined) return catalogueInstall(name);
  return interruptible(context, async (signal) =>
    registryInstall(await readRegistry(registry, io, signal), {
      name,
      registry,
      platform: registryPlatform(io.platform, process.arch),
      sha256: values.text("sha256"),
    }),
  );
}

async function carryOut(
  context: Context,
  plan: InstallPlan,
  old: InstalledAgent | undefined,
  question: string,
): Promise<void> {
  const { io, values, screen, renderer } = context;
  const { name, title, version, args, env, registry } = plan;
  const parent = agentFolder(io, name);
  // A new folder, so that the old version works until the new one is complete.
  const folder = join(parent, `${version}-${randomUUID().slice(0, 8)}`);
  print(context, planLines(plan, folder));
  await expectConsent(context, question);
  screen.status(`installing ${sanitizeLine(name)}`);
  const onLine = (line: string): void => {
    if (values.flag("verbose")) screen.printLine(sanitizeLine(line));
  };
  try {
    const files = await interruptible(context, (signal) =>
      installFiles(plan, folder, { io, signal, onLine }),
    );
    await writeManifest(io, { name, title, version, args, env, registry, folder, ...files });
    renderer.note(`installed ${name} ${version}: ${joinCommandLine([files.command, ...args])}`);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (old === undefined) await rm(parent, { recursive: true, force: true });
    if (error instanceof CliError) throw error;
    throw new CliError("agentError", { what: `could not install ${name}: ${messageOf(error)}` });
  } finally {
    screen.status(undefined);
  }
  await removeOthers(parent, folder);
}

/** Removes earlier versions, and the rest of installs that were interrupted. */
async function removeOthers(parent: string, folder: string): Promise<void> {
  const names = await readdir(parent, { withFileTypes: true });
  const others = names.filter(
    (entry) => entry.isDirectory() && join(parent, entry.name) !== folder,
  );
  for (const { name } of others) await rm(join(parent, name), { recursive: true, force: true });
}

function planLines(plan: InstallPlan, folder: string): readonly string[] {
  const { name, title, version, source, args, env, registry } = plan;
  const program = source.kind === "npm" ? (source.program ?? "its program") : source.program;
  return [
    `${name} ${version} (${title}), from ${registry ?? "the catalogue"}`,
    ...sourceLines(plan),
    `  folder      ${folder}`,
    ...installCommands(plan, folder).map((command) => `  runs now    ${commandText(command)}`),
    `  runs later  ${joinCommandLine([program, ...args])}`,
    ...Object.entries(env).map(([key, value]) => `  with        ${key}=${value}`),
  ];
}

function sourceLines({ source, version }: InstallPlan): readonly string[] {
  switch (source.kind) {
    case "npm":
      return [
        `  package     ${source.package}@${version}`,
        `  verified    ${source.integrity ?? "by npm, with the hash of its registry"}`,
      ];
    case "uv":
      return [
        `  package     ${source.package}==${version}`,
        "  verified    by uv, with the hash of its index",
      ];
    case "archive":
      return [`  loads       ${source.url}`, `  verified    sha256-${source.sha256}`];
  }
}

function print({ screen }: Context, lines: readonly string[]): void {
  for (const line of lines) screen.printLine(sanitizeLine(line));
}

/** Asks, unless `--yes` is given. Throws a CliError if the user does not agree or cannot be asked. */
async function expectConsent(context: Context, question: string): Promise<void> {
  if (context.values.flag("yes")) return;
  if (context.asker === undefined)
    throw usageError("nothing was changed: there is no terminal to ask on", "--yes to agree");
  const answer = await askBeforeStart(context, (dialogue) =>
    dialogue.confirm(sanitizeLine(question), false),
  );
  if (answer !== true) throw new CliError("permission", { what: "nothing was changed" });
}

interface InstallCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

type InstalledFiles = Pick<InstalledAgent, "command" | "integrity">;

function archiveFile(url: string, folder: string): string {
  return join(folder, basename(new URL(url).pathname) || "archive");
}

/** The commands that install a plan into a folder, in order. Pure: this is what the user agrees to. */
export function installCommands(plan: InstallPlan, folder: string): readonly InstallCommand[] {
  const { source, version } = plan;
  switch (source.kind) {
    case "npm": {
      const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
      // Install scripts are code of every dependency, and would run before the package is verified.
      const args = ["install", "--prefix", folder, "--ignore-scripts", "--save-exact", ...quiet];
      const install = { command: "npm", args: [...args, `${source.package}@${version}`] };
      if (source.setUp === undefined) return [install];
      const script = join(folder, "node_modules", source.package, source.setUp);
      return [install, { command: "node", args: [script] }];
    }
    case "uv": {
      const env = { UV_TOOL_DIR: join(folder, "tools"), UV_TOOL_BIN_DIR: join(folder, "bin") };
      const args = ["tool", "install", "--no-config", `${source.package}==${version}`];
      return [{ command: "uv", args, env }];
    }
    case "archive": {
      const file = archiveFile(source.url, folder);
      const unpack = unpackWords(file, join(folder, "files"));
      return unpack === undefined ? [] : [unpack];
    }
  }
}

function unpackWords(file: string, folder: string): InstallCommand | undefined {
  if (/\.zip$/i.test(file)) {
    return process.platform === "win32"
      ? { command: "tar", args: ["-xf", file, "-C", folder] }
      : { command: "unzip", args: ["-q", file, "-d", folder] };
  }
  if (/\.(?:tar|tar\.\w+|tgz|tbz2?|txz)$/i.test(file))
    return { command: "tar", args: ["-xf", file, "-C", folder] };
  return undefined;
}

function commandText({ command, args, env = {} }: InstallCommand): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return joinCommandLine([...variables, command, ...args]);
}

interface InstallRun {
  readonly io: Io;
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
}

/** Installs a plan into a new folder. Nothing that was installed runs before it is verified. */
async function installFiles(
  plan: InstallPlan,
  folder: string,
  run: InstallRun,
): Promise<InstalledFiles> {
  const { source } = plan;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const verified = source.kind === "archive" ? await fetchArchive(source, folder, run) : undefined;
  const [first, ...others] = installCommands(plan, folder);
  if (first !== undefined) await runStep(first, folder, run);
  switch (source.kind) {
    case "npm": {
      const files = await npmFiles(plan, source, folder);
      for (const command of others) await runStep(command, folder, run);
      return files;
    }
    case "uv": {
      const command = await executable(join(folder, "bin"), source.program);
      return { command, integrity: `${source.package}==${plan.version}, verified by uv` };
    }
    case "archive": {
      if (first !== undefined) await rm(archiveFile(source.url, folder), { force: true });
      const command = await executable(join(folder, "files"), source.program);
      return { command, integrity: verified ?? "" };
    }
  }
}

async function fetchArchive(
  source: Extract<InstallSource, { kind: "archive" }>,
  folder: string,
  { signal }: InstallRun,
): Promise<string> {
  const files = join(folder, "files");
  await mkdir(files);
  const file = archiveFile(source.url, folder);
  // A file that is not an archive is the program itself.
  const target = unpackWords(file, files) === undefined ? join(files, source.program) : file;
  const sha256 = await download(source.url, target, signal);
  if (sha256 === source.sha256) return `sha256-${sha256}`;
  throw mismatch(source.url, source.sha256, sha256);
}

function mismatch(what: string, expected: string, found: string): CliError {
  return new CliError("agentError", {
    what: `${what} is not the expected file: its hash is ${found}, not ${expected}; nothing was installed`,
  });
}

async function runStep(step: InstallCommand, folder: string, run: InstallRun): Promise<void> {
  const { io, signal, onLine } = run;
  const path = await findCommand(step.command, io);
  if (path === undefined)
    throw new CliError("cannotStart", { what: `"${step.command}" is needed and was not found` });
  const env = { ...io.env, ...step.env };
  signal.throwIfAborted();
  const command = await startCommand({
    command: path,
    args: step.args,
    cwd: folder,
    env,
    outputBytes: 64 * 1024,
    onOutput: (bytes) => {
      for (const line of Buffer.from(bytes).toString("utf8").trimEnd().split("\n")) onLine(line);
    },
  });
  const stop = (): void => void command.kill();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const { code } = await command.exited;
    signal.throwIfAborted();
    if (code === 0) return;
    const { output } = command.output();
    const what = `${commandText(step)} failed`;
    throw new CliError("agentError", { what, exit: `exit code ${code}`, stderr: output });
  } finally {
    signal.removeEventListener("abort", stop);
    await command.release();
  }
}

/** Compares the hash in npm's lock file, against which npm has checked the package, with the expected one. */
async function npmFiles(
  plan: InstallPlan,
  source: Extract<InstallSource, { kind: "npm" }>,
  folder: string,
): Promise<InstalledFiles> {
  const lock = await json(join(folder, "package-lock.json"));
  const packages = isJsonObject(lock) ? lock["packages"] : undefined;
  const entry = isJsonObject(packages) ? packages[`node_modules/${source.package}`] : undefined;
  const { version, integrity } = isJsonObject(entry) ? entry : {};
  const what = `${source.package}@${plan.version}`;
  if (version !== plan.version || typeof integrity !== "string")
    throw new CliError("agentError", { what: `npm did not install ${what} with a hash` });
  if (source.integrity !== undefined && source.integrity !== integrity)
    throw mismatch(what, source.integrity, integrity);
  const modules = join(folder, "node_modules");
  const manifest = await json(join(modules, source.package, "package.json"));
  const program = source.program ?? programOf(manifest, source.package);
  return { command: await executable(join(modules, ".bin"), program), integrity };
}

/** The program that npx would start: the only one, or the one with the name of the package. */
function programOf(manifest: unknown, name: string): string {
  const bin = isJsonObject(manifest) ? manifest["bin"] : undefined;
  const own = name.split("/").at(-1) ?? name;
  const programs = isJsonObject(bin) ? Object.keys(bin) : [own];
  return (programs.length === 1 ? programs[0] : undefined) ?? own;
}

async function json(file: string): Promise<unknown> {
  const value: unknown = JSON.parse(await readFile(file, "utf8"));
  return value;
}

/** The path of a program that must be in this folder, after links. It becomes executable. */
async function executable(folder: string, program: string): Promise<string> {
  const path = resolve(folder, program);
  try {
    const [real, root] = await Promise.all([realpath(path), realpath(resolve(folder, ".."))]);
    if (relative(root, real).startsWith("..")) throw new Error("it leads out of its folder");
    await chmod(real, 0o755);
    return path;
  } catch (error) {
    throw new CliError("agentError", {
      what: `there is no program ${program}: ${messageOf(error)}`,
    });
  }
}

const MAX_REGISTRY_BYTES = 16 * MIB;
const MAX_ARCHIVE_BYTES = 2048 * MIB;

async function readRegistry(
  from: string,
  io: Pick<Io, "cwd">,
  signal: AbortSignal,
): Promise<unknown> {
  if (!/^https?:\/\//i.test(from)) {
    const limits = { maxBytes: MAX_REGISTRY_BYTES, what: "registry file" };
    const bytes = await readGivenFile(resolve(io.cwd, from), from, limits);
    return parseJson(bytes.toString("utf8"), from);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of await body(from, MAX_REGISTRY_BYTES, signal)) chunks.push(chunk);
  return parseJson(Buffer.concat(chunks).toString("utf8"), from);
}

/** Saves an address to a file. Resolves with the SHA-256 of the file, in hexadecimal. */
export async function download(url: string, file: string, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  const hashing = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk);
      done(undefined, chunk);
    },
  });
  await pipeline(await body(url, MAX_ARCHIVE_BYTES, signal), hashing, createWriteStream(file));
  return hash.digest("hex");
}

/** Downloads an address. Throws a CliError if that fails, or if there are more bytes than allowed. */
async function body(url: string, maxBytes: number, signal: AbortSignal): Promise<Readable> {
  if (!isSafeDownload(url)) throw usageError(`${url} is not an https address`);
  const fail = (problem: string): never => {
    throw new CliError("agentError", { what: `could not load ${url}: ${problem}` });
  };
  const response = await fetch(url, { signal }).catch((error: unknown) => fail(reasonOf(error)));
  if (!isSafeDownload(response.url)) fail(`it leads to ${response.url}`);
  if (!response.ok) fail(`the server answered ${response.status}`);
  if (response.body === null) return fail("the answer is empty");
  let bytes = 0;
  const limited = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) return done(undefined, chunk);
      const what = `could not load ${url}: it is larger than ${maxBytes / MIB} MiB`;
      done(new CliError("agentError", { what }));
    },
  });
  Readable.fromWeb(response.body)
    .on("error", (error) => limited.destroy(error))
    .pipe(limited);
  return limited;
}

/** `fetch` says only that it failed; its cause has the reason. */
function reasonOf(error: unknown): string {
  return error instanceof Error && error.cause !== undefined
    ? messageOf(error.cause)
    : messageOf(error);
}
