// A client of a fleet that goes on, whichever process is killed.
import { setTimeout as pause } from "node:timers/promises";
import { ATTACH_META, ATTACH_METHODS, SEQ_META } from "../../../../src/client/index.ts";
import { GATEWAY_CODES, TURN_CODES } from "../../../../src/host/fleet/index.ts";
import { connectRemote } from "../../../../src/transport/remote/index.ts";
import { Peer, RemoteError } from "../../../../src/transport/rpc/index.ts";
import { asObject, type JsonObject, numberField, stringField } from "../../../../src/base/index.ts";
import { textOfUpdate } from "./records.ts";

/** The end of a prompt, as its client learned it. */
export interface ChaosPrompt {
  readonly id: string;
  readonly text: string;
  readonly outcome: "done" | "unknown" | "not_run";
}

/** The state of a client, with which another process can continue. */
export interface ChaosClientState {
  readonly name: string;
  readonly agent: string;
  /** The text of every prompt, before its id. */
  readonly prefix: string;
  readonly session: string | undefined;
  /** The last position that it received. */
  readonly position: number;
  /** How many of its prompts have ended. */
  readonly ended: number;
}

/** Something that happened to a client. */
export type ChaosClientEvent =
  | { readonly type: "connected" }
  | { readonly type: "session"; readonly session: string }
  | { readonly type: "received"; readonly position: number; readonly text: string }
  | ({ readonly type: "ended" } & ChaosPrompt);

export interface ChaosClientOptions {
  readonly token: string;
  /** The ports of the gateways that are running. */
  readonly ports: () => readonly number[];
  readonly report: (event: ChaosClientEvent) => void;
}

/** The time before the next attempt. */
const PAUSE_MS = 200;

/** A client with one session. It connects to any gateway, and continues from its last position. */
export class ChaosClient {
  readonly #state: ChaosClientState;
  readonly #options: ChaosClientOptions;
  #peer: Peer | undefined;
  #session: string | undefined;
  #position: number;

  constructor(state: ChaosClientState, options: ChaosClientOptions) {
    this.#state = state;
    this.#options = options;
    this.#session = state.session;
    this.#position = state.position;
  }

  /** Sends prompts until `isOver` returns true, and at least one. */
  async run(isOver: () => boolean): Promise<void> {
    const { name, ended } = this.#state;
    for (let number = ended + 1; number === 1 || !isOver(); number++) {
      await this.#prompt(`${name}-${number}`);
    }
    await this.#peer?.close();
  }

  async #prompt(id: string): Promise<void> {
    const text = `${this.#state.prefix}${id}`;
    for (;;) {
      try {
        const peer = await this.#connected();
        const prompt = [{ type: "text", text }];
        const _meta = { "dragoman/promptId": id };
        await peer.call("session/prompt", { sessionId: this.#session, prompt, _meta });
        this.#options.report({ type: "ended", id, text, outcome: "done" });
        return;
      } catch (error) {
        const outcome = outcomeOf(error);
        if (outcome) {
          this.#options.report({ type: "ended", id, text, outcome });
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
    const { ports, token, report } = this.#options;
    const all = ports();
    const port = all[Math.floor(Math.random() * all.length)];
    const address = `ws://127.0.0.1:${port}/acp/${this.#state.agent}`;
    const channel = await connectRemote(address, { token });
    const peer = new Peer(channel, {
      handlers: {
        notification: (method, params) => this.#notified(method, asObject(params)),
        // Nothing needs permission here.
        request: () => ({ outcome: { outcome: "cancelled" } }),
      },
    });
    try {
      const _meta = { [ATTACH_META]: true };
      await peer.call("initialize", { protocolVersion: 1, clientCapabilities: {}, _meta });
      await this.#enter(peer);
    } catch (error) {
      await peer.close();
      throw error;
    }
    report({ type: "connected" });
    this.#peer = peer;
    return peer;
  }

  async #enter(peer: Peer): Promise<void> {
    if (this.#session === undefined) {
      const opened = await peer.call("session/new", { cwd: "/repo", mcpServers: [] });
      const session = stringField(asObject(opened), "sessionId") ?? "";
      this.#session = session;
      this.#options.report({ type: "session", session });
      return;
    }
    const after = this.#position;
    await peer.call(ATTACH_METHODS.attach, { sessionId: this.#session, after });
  }

  #notified(method: string, params: JsonObject): void {
    const position = numberField(asObject(params["_meta"]), SEQ_META) ?? 0;
    this.#position = Math.max(this.#position, position);
    const text = method === "session/update" ? textOfUpdate(params) : "";
    this.#options.report({ type: "received", position, text });
  }
}

/** Whether an error says that something is away for now. A connection that fails is one. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof RemoteError)) return true;
  const isFleetError = stringField(asObject(error.data), "reason") !== undefined;
  return error.rpcCode === GATEWAY_CODES.tryLater || isFleetError;
}

/** The end that an error means; undefined if the prompt has to be sent again under its id. */
function outcomeOf(error: unknown): "unknown" | "not_run" | undefined {
  if (!(error instanceof RemoteError)) return undefined;
  if (error.rpcCode === TURN_CODES.outcomeUnknown) return "unknown";
  return error.rpcCode === TURN_CODES.notRun ? "not_run" : undefined;
}
