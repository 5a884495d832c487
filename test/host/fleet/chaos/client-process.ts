// A process with some clients of a fleet, and everything that they reported.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { deferred, quiet } from "../../../../src/base/index.ts";
import type { ChaosClientEvent, ChaosClientState, ChaosPrompt } from "./client.ts";

/** To the process. */
export type ToClients =
  | {
      readonly type: "start";
      readonly clients: readonly ChaosClientState[];
      readonly token: string;
      readonly ports: readonly number[];
    }
  | { readonly type: "ports"; readonly ports: readonly number[] }
  /** The prompts that run now are the last ones. */
  | { readonly type: "over" };

/** From the process. */
export type FromClients =
  | { readonly type: "event"; readonly name: string; readonly event: ChaosClientEvent }
  | { readonly type: "over" }
  | { readonly type: "failed"; readonly message: string };

/** Everything that is known of a client, over all its processes. */
export class ClientRecord {
  readonly name: string;
  readonly agent: string;
  readonly prefix: string;
  readonly prompts: ChaosPrompt[] = [];
  /** The positions and texts of everything that the agent said. */
  readonly received: { readonly position: number; readonly text: string }[] = [];
  session: string | undefined;
  position = 0;
  /** How often it connected. */
  connections = 0;

  constructor({ name, agent, prefix }: Pick<ChaosClientState, "name" | "agent" | "prefix">) {
    this.name = name;
    this.agent = agent;
    this.prefix = prefix;
  }

  get state(): ChaosClientState {
    const { name, agent, prefix, session, position } = this;
    return { name, agent, prefix, session, position, ended: this.prompts.length };
  }

  add(event: ChaosClientEvent): void {
    switch (event.type) {
      case "connected":
        this.connections++;
        break;
      case "session":
        this.session = event.session;
        break;
      case "received": {
        const { position, text } = event;
        this.position = Math.max(this.position, position);
        if (text !== "") this.received.push({ position, text });
        break;
      }
      case "ended": {
        const { id, text, outcome } = event;
        this.prompts.push({ id, text, outcome });
      }
    }
  }
}

export interface ClientProcessOptions {
  /** The bundle of `client-main.ts`. */
  readonly file: string;
  readonly env: NodeJS.ProcessEnv;
  readonly token: string;
  readonly ports: () => readonly number[];
}

/** Runs clients in a process. When it is killed, another process continues with what is known. */
export class ClientProcess {
  readonly records: readonly ClientRecord[];
  readonly #options: ClientProcessOptions;
  readonly #done = deferred();
  #child: ChildProcess | undefined;
  #isOver = false;

  constructor(records: readonly ClientRecord[], options: ClientProcessOptions) {
    this.records = records;
    this.#options = options;
    void quiet(this.#done.promise);
  }

  /** Resolves when all clients have ended. Rejects if one fails. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  start(): void {
    const { file, env, token, ports } = this.#options;
    const child = fork(file, [], { env, execArgv: [], serialization: "json" });
    this.#child = child;
    child.on("message", (message: FromClients) => this.#received(message));
    child.once("exit", (code) => {
      if (this.#child === child) this.#done.reject(new Error(`the clients ended with ${code}`));
    });
    const clients = this.records.map(({ state }) => state);
    this.#send({ type: "start", clients, token, ports: ports() });
    if (this.#isOver) this.#send({ type: "over" });
  }

  /** Kills the process, and starts another one. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child) {
      // Everything that the process wrote before it was killed has been read by then.
      const ended = [once(child, "exit"), once(child, "disconnect")];
      child.kill("SIGKILL");
      await Promise.all(ended);
    }
    this.start();
  }

  /** Ends the process for good. */
  end(): void {
    const child = this.#child;
    this.#child = undefined;
    child?.kill("SIGKILL");
  }

  /** Tells the clients which gateways are running. */
  update(): void {
    this.#send({ type: "ports", ports: this.#options.ports() });
  }

  /** Lets the running prompts end, and no more. */
  finish(): void {
    this.#isOver = true;
    this.#send({ type: "over" });
  }

  #send(message: ToClients): void {
    if (this.#child?.connected === true) this.#child.send(message);
  }

  #received(message: FromClients): void {
    switch (message.type) {
      case "event":
        this.records.find(({ name }) => name === message.name)?.add(message.event);
        break;
      case "over":
        this.#child = undefined;
        this.#done.resolve();
        break;
      case "failed":
        this.#done.reject(new Error(message.message));
    }
  }
}
