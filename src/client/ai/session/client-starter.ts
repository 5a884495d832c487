import { AcpClient } from "../../index.ts";
import { unlessAborted } from "../../../base/index.ts";
import { AcpProviderError } from "../errors.ts";
import type { AcpProviderOptions } from "../options.ts";

/** Starts the agent with the first call, and again with the next call after it has died. */
export class ClientStarter {
  readonly #options: AcpProviderOptions;
  #started: Promise<AcpClient> | undefined;
  readonly #stop = new AbortController();
  /** Agents that died, until nothing of them is left. */
  readonly #ending = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(options: AcpProviderOptions) {
    this.#options = options;
  }

  /** The running client. Rejects with the errors of `AcpClient.start`, or the signal's reason. */
  async client(signal: AbortSignal | undefined): Promise<AcpClient> {
    for (;;) {
      if (this.#closing) throw new AcpProviderError("closed", "the provider is closed");
      const started = (this.#started ??= this.#start());
      const client = await (signal ? unlessAborted(started, signal) : started);
      // Calls fail before `closed` resolves, so only the state says that the client is dead.
      if (client.state === "open" || !this.#canRestart) return client;
      if (this.#started === started) this.#started = undefined;
      this.#ending.add(client.closed);
      void client.closed.then(() => this.#ending.delete(client.closed));
    }
  }

  /** Ends the agent, unless the program owns it. Calling it again is safe. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  /** A channel can be opened only once, and the provider must not replace a client of the program. */
  get #canRestart(): boolean {
    return !this.#options.client && this.#options.channel === undefined;
  }

  #start(): Promise<AcpClient> {
    const options = this.#options;
    if (options.client) return Promise.resolve(options.client);
    const {
      session: _session,
      auth: _auth,
      maxSessions: _max,
      client: _client,
      ...config
    } = options;
    const started = AcpClient.start(
      { ...config, permissions: config.permissions ?? "deny" },
      { signal: this.#stop.signal },
    );
    started.catch(() => {
      if (this.#canRestart) this.#started = undefined;
    });
    return started;
  }

  async #end(): Promise<void> {
    if (this.#options.client) return;
    this.#stop.abort(new Error("the provider was closed"));
    const client = await this.#started?.catch(() => undefined);
    await Promise.all([client?.close(), ...this.#ending]);
  }
}
