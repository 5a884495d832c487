import { AcpClient } from "../../client/index.ts";
import { unlessAborted } from "../../wire/index.ts";
import { AcpProviderError } from "../errors.ts";
import type { AcpProviderOptions } from "../options.ts";

/** Starts the agent with the first call, and again with the next call after it has died. */
export class ClientStarter {
  readonly #options: AcpProviderOptions;
  #started: Promise<AcpClient> | undefined;
  readonly #stop = new AbortController();
  #closing: Promise<void> | undefined;

  constructor(options: AcpProviderOptions) {
    this.#options = options;
  }

  /** The running client. Rejects with the errors of `AcpClient.start`, or the signal's reason. */
  async client(signal: AbortSignal | undefined): Promise<AcpClient> {
    if (this.#closing) throw new AcpProviderError("closed", "the provider is closed");
    this.#started ??= this.#start();
    return signal ? unlessAborted(this.#started, signal) : this.#started;
  }

  /** Ends the agent, unless the program owns it. Calling it again is safe. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
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
    const forget = (): void => {
      if (this.#started === started) this.#started = undefined;
    };
    started.then((client) => client.closed.then(forget), forget);
    return started;
  }

  async #end(): Promise<void> {
    if (this.#options.client) return;
    this.#stop.abort(new Error("the provider was closed"));
    const client = await this.#started?.catch(() => undefined);
    await client?.close();
  }
}
