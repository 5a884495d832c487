// A client of a fleet that goes on, whatever is killed.
import { setTimeout as pause } from "node:timers/promises";
import { ATTACH_META, ATTACH_METHODS, SEQ_META } from "../../../src/client/index.ts";
import { GATEWAY_CODES, TURN_CODES } from "../../../src/fleet/index.ts";
import { connectRemote } from "../../../src/remote/index.ts";
import { Peer, RemoteError } from "../../../src/rpc/index.ts";
import { asObject, type JsonObject, numberField, stringField } from "../../../src/wire/index.ts";
import { textOfUpdate } from "./records.ts";

/** The end of a prompt, as its client learned it. */
export interface ChaosPrompt {
  readonly id: string;
  readonly text: string;
  readonly outcome: "done" | "unknown" | "not_run";
}

export interface ChaosClientOptions {
  readonly name: string;
  readonly agent: string;
  readonly token: string;
  /** The ports of the gateways that are running. */
  readonly ports: () => readonly number[];
  readonly random: () => number;
  /** The text of a prompt, which has the id in it. */
  readonly prompt: (id: string) => string;
}

/** The time before the next attempt. */
const PAUSE_MS = 200;

/** A client with one session. It connects to any gateway, and continues from its last position. */
export class ChaosClient {
  readonly name: string;
  readonly agent: string;
  readonly prompts: ChaosPrompt[] = [];
  /** The positions and texts of everything that arrived. */
  readonly received: { readonly position: number; readonly text: string }[] = [];
  readonly #options: ChaosClientOptions;
  #peer: Peer | undefined;
  #position = 0;
  session: string | undefined;
  /** How often it connected. */
  connections = 0;
  /** What it waits for, for messages. */
  state = "new";

  constructor(options: ChaosClientOptions) {
    this.#options = options;
    this.name = options.name;
    this.agent = options.agent;
  }

  /** Sends prompts until it is told to stop, and at least one. */
  async run(isOver: () => boolean): Promise<void> {
    for (let number = 1; number === 1 || !isOver(); number++) {
      await this.#prompt(`${this.name}-${number}`);
    }
    await this.#peer?.close();
    this.state = "over";
  }

  /** Ends its connection without a word. */
  cut(): void {
    void this.#peer?.close();
  }

  async #prompt(id: string): Promise<void> {
    const text = this.#options.prompt(id);
    for (;;) {
      try {
        const peer = await this.#connected();
        this.state = `prompt ${id}`;
        const prompt = [{ type: "text", text }];
        const _meta = { "dragoman/promptId": id };
        await peer.call("session/prompt", { sessionId: this.session, prompt, _meta });
        this.prompts.push({ id, text, outcome: "done" });
        return;
      } catch (error) {
        this.state = `again ${id}: ${String(error)}`;
        const outcome = outcomeOf(error);
        if (outcome) {
          this.prompts.push({ id, text, outcome });
          return;
        }
        if (!isTransient(error)) {
          throw new Error(`${id} failed: ${String(error)}`, { cause: error });
        }
        await pause(PAUSE_MS);
      }
    }
  }

  /** A connection that follows the session. */
  async #connected(): Promise<Peer> {
    if (this.#peer && !this.#peer.closeReason) return this.#peer;
    const { ports, random, agent, token } = this.#options;
    const all = ports();
    const port = all[Math.floor(random() * all.length)];
    this.state = `connect to ${port}`;
    const channel = await connectRemote(`ws://127.0.0.1:${port}/acp/${agent}`, { token });
    const peer = new Peer(channel, {
      handlers: {
        notification: (method, params) => this.#notified(method, asObject(params)),
        // Nothing needs permission here.
        request: () => ({ outcome: { outcome: "cancelled" } }),
      },
    });
    try {
      this.state = "initialize";
      const _meta = { [ATTACH_META]: true };
      await peer.call("initialize", { protocolVersion: 1, clientCapabilities: {}, _meta });
      await this.#enter(peer);
    } catch (error) {
      await peer.close();
      throw error;
    }
    this.connections++;
    this.#peer = peer;
    return peer;
  }

  async #enter(peer: Peer): Promise<void> {
    this.state = "session";
    if (this.session === undefined) {
      const opened = await peer.call("session/new", { cwd: "/repo", mcpServers: [] });
      this.session = stringField(asObject(opened), "sessionId");
      return;
    }
    const after = this.#position;
    await peer.call(ATTACH_METHODS.attach, { sessionId: this.session, after });
  }

  #notified(method: string, params: JsonObject): void {
    const position = numberField(asObject(params["_meta"]), SEQ_META) ?? 0;
    this.#position = Math.max(this.#position, position);
    const text = method === "session/update" ? textOfUpdate(params) : "";
    if (text !== "") this.received.push({ position, text });
  }
}

/** Whether an error says that something is away for now. A connection that fails is one. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof RemoteError)) return true;
  const isFleetError = stringField(asObject(error.data), "reason") !== undefined;
  return error.code === GATEWAY_CODES.tryLater || isFleetError;
}

/** The end that an error means; undefined if the prompt has to be sent again under its id. */
function outcomeOf(error: unknown): "unknown" | "not_run" | undefined {
  if (!(error instanceof RemoteError)) return undefined;
  if (error.code === TURN_CODES.outcomeUnknown) return "unknown";
  return error.code === TURN_CODES.notRun ? "not_run" : undefined;
}
