import { join } from "node:path";
import { type Hub, type HubAgent, type HubEvent, createHub } from "../../../host/hub/index.ts";
import {
  deferred,
  quiet,
  redactText,
  within,
  messageOf,
  createRedactor,
  type EnvOverlay,
  FinishedText,
} from "../../../base/index.ts";
import {
  type Channel,
  listenSocket,
  type SocketListener,
  openProcess,
} from "../../../transport/wire/index.ts";
import { hubEventLine } from "../render/text/hub-events.ts";
import {
  type ClientHello,
  HUB_PROTOCOL,
  type HubRequest,
  isSameSecret,
  proofOf,
  readClientHello,
  readHubRequest,
  HandshakeChannel,
  type WarmAgent,
} from "./frames.ts";
import { logFiles, HubLog } from "./hub-log.ts";
import { type Claim, HEARTBEAT_MS, readRecords, claimHub, removeDeadHubs } from "./records.ts";
import type { HubStatus } from "./hub-status.ts";
import { closeSync, openSync, writeSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { checkRuntimeFolder, hubDataFolder } from "./hub-folders.ts";

/**
 * Runs the hub of this version in this process, until it has nothing left to do. The process that
 * started it reads `ready` or `taken` on its stdout. Rejects if the hub cannot start.
 */
export async function runHub(folder: string, version: string): Promise<void> {
  await checkRuntimeFolder(folder, process.platform);
  const claim = await claimHub(folder, version);
  if (claim === undefined) {
    writeSync(STDOUT, "taken\n");
    return;
  }
  try {
    await removeDeadHubs(folder);
    const data = await dataFolder(folder);
    const log = new HubLog(data);
    const daemon = new HubDaemon({ data, folder, version, claim, log });
    process.on("SIGTERM", () => void daemon.end("SIGTERM"));
    process.on("SIGINT", () => void daemon.end("SIGINT"));
    process.on("SIGHUP", () => {});
    await daemon.listen();
    writeSync(STDOUT, "ready\n");
    letGo(data);
    await daemon.ended;
  } catch (error) {
    await claim.remove();
    throw error;
  }
}

/** A home folder may be read-only. */
async function dataFolder(folder: string): Promise<string> {
  const { env, platform } = process;
  const data = hubDataFolder({ env, platform, home: env["HOME"] ?? homedir() });
  try {
    await mkdir(data, { recursive: true, mode: 0o700 });
    return data;
  } catch {
    return folder;
  }
}

const STDOUT = 1;
const STDERR = 2;

/**
 * Lets go of the pipes to the process that started this one, so that nothing waits for their end. Errors
 * that nothing handles go to the log. The system gives a new file the lowest free number.
 */
function letGo(data: string): void {
  if (process.platform === "win32") return;
  closeSync(STDOUT);
  openSync("/dev/null", "w");
  closeSync(STDERR);
  openSync(logFiles(data)[1], "a", 0o600);
}

interface DaemonParts {
  /** The folder for what no longer fits into memory. */
  readonly data: string;
  readonly folder: string;
  readonly version: string;
  readonly claim: Claim;
  readonly log: HubLog;
}

/** All clients belong to the user of the hub. */
const OWNER = "local";

/** How long a client may take to say hello and what it wants. */
const HELLO_MS = 10_000;

/** If no client has reached a hub after this long, it is not needed. */
const FIRST_CLIENT_MS = 30_000;

/** How long an agent may take to end a cancelled turn, as without a hub. */
const CANCEL_MS = 5000;

/** A session that no client uses is forgotten after this long, even if its agent stays. */
const SESSION_MS = 30 * 60_000;

/** The longest delay that a timer accepts. */
const LONGEST_MS = 2 ** 31 - 1;

/** How long a running turn may go on when the system asks the hub to end. */
const SIGNAL_WAIT_MS = 5000;

/** Each folder and environment needs its own copy, which may take hundreds of megabytes. */
const MAX_IDLE_COPIES = 4;

/**
 * The process behind the warm agents. It serves every client that connects to its socket and knows its
 * token, and ends when neither a client nor an agent is left.
 */
class HubDaemon {
  /** Resolves when nothing is left. Never rejects. */
  readonly ended: Promise<void>;
  readonly #parts: DaemonParts;
  readonly #hub: Hub;
  readonly #agents: WarmAgents;
  readonly #ended = deferred();
  readonly #first: ReturnType<typeof setTimeout>;
  readonly #heart: ReturnType<typeof setInterval>;
  #listener: SocketListener | undefined;
  #connections = 0;
  #isEnding = false;

  constructor(parts: DaemonParts) {
    this.#parts = parts;
    this.ended = this.#ended.promise;
    this.#agents = new WarmAgents((text) => parts.log.line(text));
    this.#hub = createHub({
      log: { folder: join(parts.data, "sessions") },
      limits: {
        cancelMs: CANCEL_MS,
        sessionIdleMs: SESSION_MS,
        maxIdleCopies: MAX_IDLE_COPIES,
        // An agent is started only for a client, which waits for it and should not wait longer.
        backoffMs: 0,
        maxFailures: Number.POSITIVE_INFINITY,
      },
      onEvent: (event) => this.#happened(event),
    });
    this.#first = setTimeout(() => this.#endIfIdle(), FIRST_CLIENT_MS);
    this.#heart = setInterval(() => void this.#beat(), HEARTBEAT_MS);
  }

  async listen(): Promise<void> {
    const { claim, log, version } = this.#parts;
    this.#listener = await listenSocket({ path: claim.record.socket });
    this.#listener.open((channel) => void quiet(this.#serve(channel)));
    void this.#listener.closed.then((error) => {
      if (error) void this.end(`it cannot listen anymore: ${error.message}`, 0);
    });
    await claim.change("ready");
    log.line(`the hub of Dragoman ${version} listens at ${claim.record.socket}`);
  }

  /** Ends the hub, its agents and its connections. Running turns may go on for `waitMs`. */
  async end(why: string, waitMs: number = SIGNAL_WAIT_MS): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    const { claim, log } = this.#parts;
    log.line(`the hub ends: ${why}`);
    clearTimeout(this.#first);
    await claim.change("draining").catch(() => {});
    await this.#hub.drain(Math.min(waitMs, LONGEST_MS));
    clearInterval(this.#heart);
    await this.#listener?.close();
    await claim.remove();
    log.line("the hub has ended");
    this.#ended.resolve();
  }

  async #serve(raw: Channel): Promise<void> {
    this.#connections++;
    const channel = new HandshakeChannel(raw);
    try {
      const asked = quiet(this.#greet(channel));
      const request = (await within(asked, HELLO_MS)) ? await asked : undefined;
      if (request !== undefined) await this.#answer(channel, request);
    } catch (error) {
      this.#parts.log.line(`a connection failed: ${messageOf(error)}`);
    } finally {
      await channel.close();
      this.#connections--;
      this.#endIfIdle();
    }
  }

  /** Resolves with what the client wants; undefined if it is not a client of this user. */
  async #greet(channel: HandshakeChannel): Promise<HubRequest | undefined> {
    const { claim, version, log } = this.#parts;
    const { token } = claim.record;
    const hello = readClientHello(await channel.frame());
    if (hello === undefined || !isSameSecret(hello.token, token)) {
      log.line("refused a connection without the token");
      return undefined;
    }
    const proof = proofOf(token, hello.nonce);
    await channel.send(JSON.stringify({ hello: { protocol: HUB_PROTOCOL, version, proof } }));
    const request = readHubRequest(await channel.frame());
    const refusal = request === undefined ? "unknown request" : this.#refusal(hello, request);
    if (refusal === undefined) return request;
    await channel.send(JSON.stringify({ refused: refusal }));
    return undefined;
  }

  #refusal(hello: ClientHello, { want }: HubRequest): string | undefined {
    if (want === "stop" || want === "status") return undefined;
    if (this.#isEnding) return "the hub is about to end";
    if (want === "attach" || hello.version === this.#parts.version) return undefined;
    return `the hub is of version ${this.#parts.version}`;
  }

  async #answer(channel: HandshakeChannel, request: HubRequest): Promise<void> {
    const accept = (ok: unknown): Promise<void> => channel.send(JSON.stringify({ ok }));
    switch (request.want) {
      case "status":
        return accept(this.#status());
      case "stop":
        await accept(true);
        void this.end("a client asked for it", request.waitMs);
        return this.ended;
      case "attach":
        await accept(true);
        return this.#host(channel, NO_AGENT);
      case "agent": {
        const { agent, warmMs, fresh } = request;
        const [warm, left] = this.#agents.use(agent, Math.min(warmMs, LONGEST_MS), fresh);
        await accept(true);
        return this.#host(channel, warm).finally(left);
      }
    }
  }

  /** Lets the hub serve a client until it is gone. */
  async #host(channel: Channel, agent: HubAgent): Promise<void> {
    clearTimeout(this.#first);
    await this.#hub.serve(channel, { agent, owner: OWNER }).closed;
  }

  #status(): HubStatus {
    const { version, claim } = this.#parts;
    const { pid, since } = claim.record;
    const state = this.#isEnding ? "draining" : "ready";
    const { agents, sessions } = this.#hub;
    return { version, pid, since, state, agents, sessions };
  }

  async #beat(): Promise<void> {
    const { claim, folder } = this.#parts;
    await claim.beat();
    const records = await readRecords(folder).catch(() => []);
    const isListed = records.some(({ id }) => id === claim.record.id);
    // Systems remove the runtime folder when the user logs out.
    if (!isListed) await this.end("its record was removed");
    this.#endIfIdle();
  }

  #endIfIdle(): void {
    if (this.#connections > 0 || this.#isEnding) return;
    if (this.#hub.agents.some(({ state }) => state === "running" || state === "starting")) return;
    void this.end("no client and no agent is left", 0);
  }

  #happened(event: HubEvent): void {
    this.#parts.log.line(redactText(hubEventLine(event)));
    // The hub forgets the agent after this call.
    if (event.type === "agent_ended") setImmediate(() => this.#endIfIdle());
  }
}

/** Clients that only attach have no agent of their own. */
const NO_AGENT: HubAgent = {
  name: "none",
  key: "none",
  open: () => Promise.reject(new Error("this connection is only for open sessions")),
};

/** An agent that callers with the same key share. */
interface Entry {
  readonly agent: HubAgent;
  /** How often a caller wanted a process of its own. */
  readonly round: number;
  warmMs: number;
  clients: number;
  leftAt: number;
}

/** An entry is kept this much longer than its agent, whose time starts a little later. */
const SLACK_MS = 60_000;

/** The agents that callers asked for, by their keys. The hub has their processes. */
export class WarmAgents {
  readonly #entries = new Map<string, Entry>();
  readonly #log: (text: string) => void;

  constructor(log: (text: string) => void) {
    this.#log = log;
  }

  /**
   * The agent for a caller. With `fresh`, it is another one than earlier callers have. The last caller
   * decides how long it stays. The function that is returned with it notes that the caller has left.
   */
  use(
    described: WarmAgent,
    warmMs: number,
    fresh: boolean,
  ): readonly [agent: HubAgent, left: () => void] {
    this.#prune();
    const known = this.#entries.get(described.key);
    const entry =
      known === undefined || fresh ? this.#add(described, (known?.round ?? -1) + 1) : known;
    entry.warmMs = warmMs;
    entry.clients++;
    return [
      entry.agent,
      () => {
        entry.clients--;
        entry.leftAt = Date.now();
      },
    ];
  }

  #add(described: WarmAgent, round: number): Entry {
    const { name, key } = described;
    const entry: Entry = {
      agent: {
        name,
        key: `${key}.${round}`,
        get idleMs() {
          return entry.warmMs;
        },
        open: () => this.#open(described),
      },
      round,
      warmMs: 0,
      clients: 0,
      leftAt: 0,
    };
    this.#entries.set(key, entry);
    return entry;
  }

  #open({ name, command, args, cwd, env, secrets }: WarmAgent) {
    const stderr = stderrLines(secrets, (line) => this.#log(`${name}: ${line}`));
    return openProcess({ command, args, cwd, env: exactly(env), onStderr: stderr });
  }

  #prune(): void {
    const now = Date.now();
    for (const [key, { clients, leftAt, warmMs }] of this.#entries) {
      if (clients === 0 && now - leftAt > warmMs + SLACK_MS) this.#entries.delete(key);
    }
  }
}

/** Exactly this environment, and nothing of this process's own. */
function exactly(env: Readonly<Record<string, string>>): EnvOverlay {
  const own = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]));
  return { ...own, ...env };
}

/** The most of one line of stderr that is logged. */
const MAX_LINE_CHARS = 2000;

/** Splits the stderr of an agent into lines without secrets. */
function stderrLines(
  secrets: readonly string[],
  line: (text: string) => void,
): (text: string) => void {
  const hide = createRedactor(secrets).text;
  const finished = new FinishedText((text) => {
    for (const each of hide(text).trimEnd().split("\n")) line(each.slice(0, MAX_LINE_CHARS));
  });
  return (text) => finished.push(text);
}
