import {
  type InspectedSession,
  type InspectServer,
  serveInspector,
} from "../../inspector/index.ts";
import { messageOf } from "../../../base/index.ts";
import { ListenError } from "../../../transport/wire/index.ts";
import { countOption } from "../shell/values.ts";
import type { RecordingFile } from "../shell/paced-channel.ts";
import { usageError } from "../shell/exit.ts";
import { MIB, readRegularFile } from "../shell/regular-file.ts";
import type { Context } from "../context/context.ts";
import { openBrowser } from "./browser.ts";
import type { Inspector } from "../context/inspector.ts";
import { writeUrlFile } from "./url-file.ts";

/** The parts of a context that an inspector needs. */
type InspectorContext = Pick<Context, "io" | "values" | "renderer">;

const HIGHEST_PORT = 65_535;
/** How much of the first session stays in memory. Each further one gets less. */
const MEMORY_BYTES = 32 * MIB;
const MAX_PAGE_BYTES = 4 * MIB;

/** Starts the server of the page. Throws a usage error if it cannot. */
export async function openInspector(context: InspectorContext): Promise<Inspector> {
  const { values } = context;
  const port = portOf(context);
  const page = await readPage(context);
  const onError = (error: unknown): void =>
    context.renderer.note(`the page could not be answered: ${messageOf(error)}`);
  const server = await serveInspector({ page, port, onError }).catch((error: unknown) => {
    throw error instanceof ListenError ? usageError(error.message, "another --port") : error;
  });
  return new RunningInspector(context, server, values.flag("keep-secrets"));
}

class RunningInspector implements Inspector {
  readonly keepSecrets: boolean;
  readonly #context: InspectorContext;
  readonly #server: InspectServer;
  #removeUrlFile: () => Promise<void> = () => Promise.resolve();

  constructor(context: InspectorContext, server: InspectServer, keepSecrets: boolean) {
    this.#context = context;
    this.#server = server;
    this.keepSecrets = keepSecrets;
  }

  add(name: string): InspectedSession {
    // A server has many sessions, which share the memory.
    const memoryBytes = MEMORY_BYTES / (1 + this.#server.sessions.length);
    return this.#server.add({ name, keepSecrets: this.keepSecrets, memoryBytes });
  }

  file(name: string): RecordingFile {
    return sessionFile(this.add(name));
  }

  async announce(what: string): Promise<void> {
    const { io, values, renderer } = this.#context;
    const { url } = this.#server;
    const file = values.text("url-file");
    if (file !== undefined) this.#removeUrlFile = await writeUrlFile(file, io.cwd, url);
    renderer.note(`inspecting ${what} at ${url}`);
    if (!values.flag("no-open")) await openBrowser(io, this.#server.openUrl());
  }

  async close(): Promise<void> {
    await this.#server.close();
    await this.#removeUrlFile();
  }
}

function portOf({ values }: InspectorContext): number | undefined {
  const port = countOption(values, "port");
  if (port !== undefined && port > HIGHEST_PORT)
    throw usageError(`--port ${port} is not a port: ports end at ${HIGHEST_PORT}`);
  return port;
}

/** A session of a page, as the file that a recorder writes. */
function sessionFile(session: InspectedSession): RecordingFile {
  const { log } = session;
  return {
    get isOverloaded() {
      return log.isOverloaded;
    },
    relieved: () => log.relieved(),
    write: (text) => session.write(text),
    end: async () => log.end(),
  };
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
