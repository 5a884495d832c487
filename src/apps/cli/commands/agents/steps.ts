import { chmod, mkdir, readFile, realpath, rm } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { isJsonObject, joinCommandLine, messageOf, startCommand } from "../../../../base/index.ts";
import { CliError } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { findCommand } from "../../agents/find.ts";
import { download } from "./download.ts";
import type { InstallPlan, InstallSource } from "./plan.ts";

/** A command that installs something, with the variables it needs besides the user's. */
export interface InstallCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The result of an install: the program, and the hash of what it is from. */
export interface InstalledFiles {
  readonly command: string;
  readonly integrity: string;
}

/** The file of an archive in the folder of its version. */
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
      const install = { command: "npm", args: [...args, `${source.package}@${version}`], env: {} };
      if (source.setUp === undefined) return [install];
      const script = join(folder, "node_modules", source.package, source.setUp);
      return [install, { command: "node", args: [script], env: {} }];
    }
    case "uv": {
      const env = { UV_TOOL_DIR: join(folder, "tools"), UV_TOOL_BIN_DIR: join(folder, "bin") };
      const args = ["tool", "install", "--no-config", `${source.package}==${version}`];
      return [{ command: "uv", args, env }];
    }
    case "archive": {
      const file = archiveFile(source.url, folder);
      const unpack = unpackWords(file, join(folder, "files"));
      return unpack === undefined ? [] : [{ command: unpack.command, args: unpack.args, env: {} }];
    }
  }
}

function unpackWords(
  file: string,
  folder: string,
): { readonly command: string; readonly args: readonly string[] } | undefined {
  if (/\.zip$/i.test(file)) {
    return process.platform === "win32"
      ? { command: "tar", args: ["-xf", file, "-C", folder] }
      : { command: "unzip", args: ["-q", file, "-d", folder] };
  }
  if (/\.(?:tar|tar\.\w+|tgz|tbz2?|txz)$/i.test(file))
    return { command: "tar", args: ["-xf", file, "-C", folder] };
  return undefined;
}

/** A command line as the user would type it, with its variables. */
export function commandText({ command, args, env }: InstallCommand): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return joinCommandLine([...variables, command, ...args]);
}

/** The parts of a run that the steps of an install need. */
export interface InstallRun {
  readonly io: Io;
  readonly signal: AbortSignal;
  /** Gets each line that a command prints. */
  readonly onLine: (line: string) => void;
}

/**
 * Installs a plan into a new folder. Nothing that was installed runs before it is verified. Throws a
 * CliError; the caller removes the folder.
 */
export async function installFiles(
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
