import {
  asObject,
  type AsyncStream,
  type JsonObject,
  pause,
  quietIterator,
  quietly,
  randomId,
} from "../../base/index.ts";
import type { FleetEngine, ReadOptions } from "./engine.ts";
import { FleetError, isFleetError } from "./errors.ts";
import { chooseHost, listHosts } from "./hosts.ts";
import { readEntry, type FleetEntry } from "./session/entries.ts";
import {
  changeSession,
  findSession,
  type FleetSession,
  tenantRecordId,
  newSession,
  readSession,
  writeSession,
} from "./session/record.ts";
import { readAnswer, type SessionRequest, writeRequest } from "./worker/protocol.ts";

/** A session to create. */
export interface NewFleetSession {
  /** Its name among the tenant's sessions. The same name creates it once. Default: a random id. */
  readonly id?: string | undefined;
  /** The pool whose workers may run it. */
  readonly pool: string;
  readonly agent: string;
  /** The folder that it works in, as the roots of the workers know it. */
  readonly cwd: string;
  /** More folders, likewise. Default: none. */
  readonly additionalDirectories?: readonly string[] | undefined;
  /**
   * The MCP servers that its agent connects to, each with the type `http` or `sse`. They are stored with the
   * session, headers included. Default: none.
   */
  readonly mcpServers?: readonly JsonObject[] | undefined;
}

/** How a session is opened. */
interface OpenSessionOptions {
  /** Its MCP servers from now on; an open session keeps those that it has. Default: as before. */
  readonly mcpServers?: readonly JsonObject[] | undefined;
}

/** A prompt for a session. */
interface FleetPrompt {
  /** Its id. The same id is run once, however often it is sent. */
  readonly id: string;
  /** Who sends it, for the others who follow the session. */
  readonly by: string;
  /** The content blocks. */
  readonly prompt: readonly JsonObject[];
}

/** The answer to a question of an agent. */
interface QuestionAnswer {
  readonly id: string;
  /** Who answers. */
  readonly by: string;
  readonly result: JsonObject;
}

/** An entry of a session's log. */
export interface FollowedEntry {
  /** Its position, from which a reader can continue. */
  readonly position: number;
  /** The fence of the owner that appended it. */
  readonly fence: number;
  /** When it was stored, in milliseconds since the epoch, on the clock of the engine. */
  readonly at: number;
  /** The entry. */
  readonly entry: FleetEntry;
}

/**
 * The sessions of one tenant, wherever they run. Calls find the worker that owns a session; if there is none,
 * they open the session on one. They reject with FleetError: `invalid` if the tenant has no such session,
 * `try_later` if no worker has room, `no_owner` if the owner is gone and its lease did not end in time, and
 * `call_timeout`, after which the same call can be made again. An error of the agent is an RpcError.
 */
export interface FleetClient {
  /** Creates a session. It is opened with the first call to it. Resolves with its id. */
  create(session: NewFleetSession): Promise<string>;
  /** Opens a session unless a worker has it. Resolves with the agent's answer, such as its modes. */
  open(session: string, options?: OpenSessionOptions): Promise<JsonObject>;
  /** Sends a prompt. Resolves once the log has it, with false if it was there before. */
  prompt(session: string, prompt: FleetPrompt): Promise<boolean>;
  /** Cancels the running turn and the prompts that wait. Does nothing if no worker runs the session. */
  cancel(session: string): Promise<void>;
  /** Answers a question of the agent. The first answer counts; later ones are `invalid`. */
  answer(session: string, answer: QuestionAnswer): Promise<void>;
  /** Sends any other request about the session to the agent, and resolves with its result. */
  request(session: string, method: string, params: JsonObject): Promise<unknown>;
  /** Ends the agent's process. The session can be used again. */
  release(session: string): Promise<void>;
  /** The entries of a session's log. */
  read(session: string, options?: ReadOptions): AsyncStream<FollowedEntry>;
  /** A session of the tenant. */
  show(session: string): Promise<FleetSession>;
  /** The sessions of the tenant. */
  list(): Promise<readonly FleetSession[]>;
  /** Ends the session, and removes it and its log. */
  remove(session: string): Promise<void>;
}

/** The time before a call looks for the owner again. */
const PAUSE_MS = 200;
/** Opening a session starts an agent. */
const OPEN_MS = 120_000;
/** The time limits of calls that need the agent. Others have the limit of the engine. */
const TIME_LIMITS: Partial<Record<SessionRequest["type"], number>> = {
  request: 60_000,
  close: 30_000,
};

/** The sessions of a tenant. The engine stays the caller's, who closes it. */
export function fleetClient(engine: FleetEngine, tenant: string): FleetClient {
  return new EngineClient(engine, tenant);
}

class EngineClient implements FleetClient {
  readonly #engine: FleetEngine;
  readonly #tenant: string;

  constructor(engine: FleetEngine, tenant: string) {
    this.#engine = engine;
    this.#tenant = tenant;
  }

  create(session: NewFleetSession): Promise<string> {
    return quietly(async () => {
      const { pool, agent, cwd } = session;
      const { additionalDirectories = [], mcpServers = [] } = session;
      const tenant = this.#tenant;
      // The kind comes first: the sessions of jobs have a name of the tenant, too.
      const id =
        session.id === undefined ? randomId() : `session:${tenantRecordId(tenant, session.id)}`;
      const start = { id, tenant, pool, agent, cwd, additionalDirectories, mcpServers };
      const record = newSession(start);
      await this.#engine.sessions.create(id, writeSession(record));
      return id;
    });
  }

  open(session: string, { mcpServers }: OpenSessionOptions = {}): Promise<JsonObject> {
    return quietly(async () => {
      if (mcpServers) await this.#setMcpServers(session, mcpServers);
      return asObject((await this.#call({ type: "open", session }))["opened"]);
    });
  }

  prompt(session: string, prompt: FleetPrompt): Promise<boolean> {
    return quietly(async () => {
      const answer = await this.#call({ type: "prompt", session, ...prompt });
      return answer["isNew"] === true;
    });
  }

  cancel(session: string): Promise<void> {
    return quietly(() => this.#callIfOwned({ type: "cancel", session }));
  }

  answer(session: string, answer: QuestionAnswer): Promise<void> {
    return quietly(async () => {
      await this.#find(session);
      await this.#callOwner({ type: "answer", session, ...answer });
    });
  }

  request(session: string, method: string, params: JsonObject): Promise<unknown> {
    return quietly(async () => {
      const answer = await this.#call({ type: "request", session, method, params });
      return answer["result"];
    });
  }

  release(session: string): Promise<void> {
    return quietly(() => this.#callIfOwned({ type: "close", session }));
  }

  read(session: string, options?: ReadOptions): AsyncStream<FollowedEntry> {
    return quietIterator(this.#read(session, options));
  }

  show(session: string): Promise<FleetSession> {
    return quietly(() => this.#find(session));
  }

  list(): Promise<readonly FleetSession[]> {
    return quietly(async () => {
      const records = await this.#engine.sessions.list();
      return records
        .flatMap(({ value }) => readSession(value) ?? [])
        .filter(({ tenant }) => tenant === this.#tenant);
    });
  }

  remove(session: string): Promise<void> {
    return quietly(async () => {
      await this.#callIfOwned({ type: "close", session });
      await this.#engine.sessions.delete(session);
      await this.#engine.log.remove(session);
    });
  }

  async *#read(session: string, options?: ReadOptions): AsyncGenerator<FollowedEntry, undefined> {
    await this.#find(session);
    for await (const { text, ...logged } of this.#engine.log.read(session, options)) {
      yield { ...logged, entry: readEntry(text) };
    }
    return undefined;
  }

  async #setMcpServers(session: string, mcpServers: readonly JsonObject[]): Promise<void> {
    const { sessions, leases } = this.#engine;
    const known = await this.#find(session);
    if (JSON.stringify(known.mcpServers) === JSON.stringify(mcpServers)) return;
    if (await leases.holder(session)) return;
    await changeSession(sessions, session, (record) => ({ ...record, mcpServers }));
  }

  async #find(session: string): Promise<FleetSession> {
    const found = await findSession(this.#engine.sessions, session);
    if (found.tenant === this.#tenant) return found;
    throw new FleetError("session_not_found", `the session ${session} is unknown`);
  }

  /** Calls the owner, if there is one. */
  async #callIfOwned(request: SessionRequest): Promise<void> {
    await this.#find(request.session);
    await this.#callOwner(request).catch((error: unknown) => {
      if (!isGone(error)) throw error;
    });
  }

  /** Calls the owner; opens the session if it has none. An owner that died is waited for until its lease ends. */
  async #call(request: SessionRequest): Promise<JsonObject> {
    const until = performance.now() + 2 * this.#engine.limits.leaseMs;
    const session = await this.#find(request.session);
    for (;;) {
      try {
        return await this.#callOwner(request);
      } catch (error) {
        // A prompt is accepted once, and a session opened once, so both can be asked for again.
        const isRepeatable = request.type === "prompt" || request.type === "open";
        const mayAgain = isRepeatable && isFleetError(error, "timeout");
        if (!(isGone(error) || mayAgain) || performance.now() >= until) throw error;
        if (mayAgain) continue;
      }
      try {
        await this.#open(session.id);
      } catch (error) {
        if (!isGone(error) || performance.now() >= until) throw error;
        await pause(PAUSE_MS);
      }
    }
  }

  async #callOwner(request: SessionRequest): Promise<JsonObject> {
    const { leases, calls } = this.#engine;
    const holder = await leases.holder(request.session);
    if (!holder) throw new FleetError("no_owner", `no worker has the session ${request.session}`);
    const timeoutMs = TIME_LIMITS[request.type];
    return readAnswer(await calls.call(holder.host, writeRequest(request), { timeoutMs }));
  }

  /** Opens a session on a worker. Rejects with FleetError `no_owner` if one has it already. */
  async #open(session: string): Promise<void> {
    const { hosts, leases, calls } = this.#engine;
    const holder = await leases.holder(session);
    if (holder) throw new FleetError("no_owner", `the host ${holder.host} does not answer`);
    const record = await this.#find(session);
    const chosen = chooseHost(await listHosts(hosts), record);
    if (!chosen) {
      throw new FleetError("try_later", "no worker can take the session now: try again later");
    }
    const request = writeRequest({ type: "open", session });
    readAnswer(await calls.call(chosen.host, request, { timeoutMs: OPEN_MS }));
  }
}

/** Whether an error means that the host that was called does not own the session, or no longer does. */
function isGone(error: unknown): boolean {
  return isFleetError(error, "no_owner") || isFleetError(error, "closed");
}
