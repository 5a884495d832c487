import { AGENTS_OPTIONS } from "./declaration.ts";
import { joinCommandLine, messageOf } from "../../../../base/index.ts";
import { randomUUID } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { CliError, usageError } from "../../shell/exit.ts";
import { sanitiseLine } from "../../render/terminal/sanitise.ts";
import { askBeforeStart, interruptible, type Context } from "../../context/context.ts";
import { readRegistry } from "./download.ts";
import {
  agentFolder,
  installedAgent,
  writeManifest,
  type InstalledAgent,
} from "../../agents/installed.ts";
import { catalogueInstall, registryInstall, registryPlatform, type InstallPlan } from "./plan.ts";
import { commandText, installCommands, installFiles } from "./steps.ts";

/** `agents install NAME`: asks, installs and verifies. Throws a CliError. */
export async function installAgent(context: Context, name: string): Promise<void> {
  const { values } = context;
  const plan = await planFor(context, name, values.with(AGENTS_OPTIONS).text("registry"));
  const old = await installedAgent(context.io, name);
  if (old?.version === plan.version)
    return context.renderer.note(`${name} ${old.version} is already installed`);
  await carryOut(context, plan, old, old === undefined ? "Install it?" : "Replace it?");
}

/** `agents update NAME`: the same for an agent that Dragoman has installed, from where it came from. */
export async function updateAgent(context: Context, name: string): Promise<void> {
  const old = await expectInstalled(context, name);
  const plan = await planFor(
    context,
    name,
    context.values.with(AGENTS_OPTIONS).text("registry") ?? old.registry,
  );
  if (old.version === plan.version)
    return context.renderer.note(`${name} ${old.version} is up to date`);
  await carryOut(context, plan, old, `Replace ${old.version}?`);
}

/** `agents remove NAME`: deletes what `install` has installed. */
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

async function planFor(
  context: Context,
  name: string,
  registry: string | undefined,
): Promise<InstallPlan> {
  const { io, values } = context;
  if (registry === undefined) return catalogueInstall(name);
  return interruptible(context, async (signal) =>
    registryInstall(await readRegistry(registry, io, signal), {
      name,
      registry,
      platform: registryPlatform(io.platform, process.arch),
      sha256: values.with(AGENTS_OPTIONS).text("sha256"),
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
  screen.status(`installing ${sanitiseLine(name)}`);
  const onLine = (line: string): void => {
    if (values.flag("verbose")) screen.story(sanitiseLine(line));
  };
  try {
    const files = await interruptible(context, (signal) =>
      installFiles(plan, folder, { io, signal, onLine }),
    );
    const { command, integrity } = files;
    await writeManifest(io, {
      name,
      title,
      version,
      command,
      args,
      env,
      folder,
      integrity,
      registry,
    });
    renderer.note(`installed ${name} ${version}: ${joinCommandLine([command, ...args])}`);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (old === undefined) await rm(parent, { recursive: true, force: true });
    throw error instanceof CliError ? error : failed(name, error);
  } finally {
    screen.status(undefined);
  }
  await removeOthers(parent, folder);
}

function failed(name: string, error: unknown): CliError {
  return new CliError("agentError", { what: `could not install ${name}: ${messageOf(error)}` });
}

/** Removes earlier versions, and the rest of installs that were interrupted. */
async function removeOthers(parent: string, folder: string): Promise<void> {
  const names = await readdir(parent, { withFileTypes: true });
  const others = names.filter(
    (entry) => entry.isDirectory() && join(parent, entry.name) !== folder,
  );
  for (const { name } of others) await rm(join(parent, name), { recursive: true, force: true });
}

/** Everything that an install will do, and what Dragoman will start afterwards. */
export function planLines(plan: InstallPlan, folder: string): readonly string[] {
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
  for (const line of lines) screen.story(sanitiseLine(line));
}

/** Asks, unless `--yes` is given. Throws a CliError if the user does not agree or cannot be asked. */
async function expectConsent(context: Context, question: string): Promise<void> {
  if (context.values.flag("yes")) return;
  if (context.asker === undefined)
    throw usageError("nothing was changed: there is no terminal to ask on", "--yes to agree");
  const answer = await askBeforeStart(context, (dialogue) =>
    dialogue.confirm(sanitiseLine(question), false),
  );
  if (answer !== true) throw new CliError("permission", { what: "nothing was changed" });
}
