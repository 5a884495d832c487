import { type InspectedSession, serveInspector } from "../../inspector/index.ts";
import { messageOf, startProcess, writeAtomically, hasCode } from "../../../base/index.ts";
import { ListenError } from "../../../transport/wire/index.ts";
import { countOption } from "../shell/option-values.ts";
import { usageError } from "../shell/exit.ts";
import { MIB, readRegularFile } from "../shell/regular-file.ts";
import type { Context, Inspector } from "../context/context.ts";
import type { Io } from "../shell/io.ts";
import { open, rm } from "node:fs/promises";
import { resolve } from "node:path";

type InspectorContext = Pick<Context, "io" | "values" | "renderer">;

const HIGHEST_PORT = 65_535;
/** How much of the first session stays in memory. Each further one gets less. */
const MEMORY_BYTES = 32 * MIB;
const MAX_PAGE_BYTES = 4 * MIB;

/** Starts the server of the page. Throws a usage error if it cannot. */
export async function openInspector(context: InspectorContext): Promise<Inspector> {
  const { io, values } = context;
  const port = portOf(context);
  const page = await readPage(context);
  const onError = (error: unknown): void =>
    context.renderer.note(`the page could not be answered: ${messageOf(error)}`);
  const server = await serveInspector({ page, port, onError }).catch((error: unknown) => {
    throw error instanceof ListenError ? usageError(error.message, "another --port") : error;
  });
  const keepSecrets = values.flag("keep-secrets");
  let removeUrlFile = (): Promise<void> => Promise.resolve();
  const add = (name: string): InspectedSession => {
    // A server has many sessions, which share the memory.
    const memoryBytes = MEMORY_BYTES / (1 + server.sessions.length);
    return server.add({ name, keepSecrets, memoryBytes });
  };
  return {
    add,
    file: (name) => {
      const session = add(name);
      const { log } = session;
      return {
        keepSecrets,
        get isOverloaded() {
          return log.isOverloaded;
        },
        relieved: () => log.relieved(),
        write: (text) => session.write(text),
        end: async () => log.end(),
      };
    },
    announce: async (what) => {
      const { url } = server;
      const file = values.text("url-file");
      if (file !== undefined) removeUrlFile = await writeUrlFile(file, io.cwd, url);
      context.renderer.note(`inspecting ${what} at ${url}`);
      if (!values.flag("no-open")) await openBrowser(io, server.openUrl());
    },
    close: async () => {
      await server.close();
      await removeUrlFile();
    },
  };
}

function portOf({ values }: InspectorContext): number | undefined {
  const port = countOption(values, "port");
  if (port !== undefined && port > HIGHEST_PORT)
    throw usageError(`--port ${port} is not a port: ports end at ${HIGHEST_PORT}`);
  return port;
}

/** The text of the page, which the build has put next to the commands. */
export async function readPage({ io }: Pick<Context, "io">): Promise<string> {
  const { inspectPage } = io.self;
  const bytes = await readRegularFile(inspectPage, MAX_PAGE_BYTES).catch((error: unknown) => {
    const why = `could not read the page ${inspectPage}: ${messageOf(error)}`;
    throw usageError(why, "npm install dragoman again");
  });
  return bytes.toString("utf8");
}

/**
 * Opens an address in the user's browser, if there is a desktop. Failures do not matter, because the address
 * was printed. Never rejects.
 */
async function openBrowser(io: Pick<Io, "platform" | "env">, url: string): Promise<void> {
  const command = browserCommand(io);
  if (command === undefined) return;
  const [name, ...args] = command;
  try {
    const line = { command: name, args: [...args, url], env: io.env };
    const child = await startProcess(line, { stdio: "ignore" });
    child.unref();
  } catch {
    // There is no such program.
  }
}

/** The command that opens an address; undefined without a desktop. Pure. */
function browserCommand({
  platform,
  env,
}: Pick<Io, "platform" | "env">): readonly [string, ...string[]] | undefined {
  switch (platform) {
    case "darwin":
      return ["open"];
    case "win32":
      return ["rundll32", "url.dll,FileProtocolHandler"];
    default:
      return env["DISPLAY"] || env["WAYLAND_DISPLAY"] ? ["xdg-open"] : undefined;
  }
}

/** An address that an earlier run left behind. */
const LEFT_BEHIND = /^(?:http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+\n)?$/;
const MAX_BYTES = 1024;

/**
 * Writes the address of the page to a file that only the user can read. It replaces an empty file and one with
 * an address of an earlier run, and no other. Returns a function that removes the file. Throws a usage error.
 */
async function writeUrlFile(file: string, cwd: string, url: string): Promise<() => Promise<void>> {
  const path = resolve(cwd, file);
  try {
    if (!(await isReplaceable(path))) throw new Error("there is another file of that name");
    await writeAtomically(path, `${url}\n`);
  } catch (error) {
    throw usageError(`could not write --url-file ${file}: ${messageOf(error)}`);
  }
  return () => rm(path, { force: true }).catch(() => {});
}

async function isReplaceable(path: string): Promise<boolean> {
  try {
    return LEFT_BEHIND.test((await readRegularFile(path, MAX_BYTES)).toString("utf8"));
  } catch (error) {
    return hasCode(error, "ENOENT");
  }
}

/** Writes a new file that only the user can read. Rejects if there is a file of that name. */
export async function writeNewPrivateFile(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}
