import type { SessionRole } from "../../../transport/remote/index.ts";
import type { ServedClient } from "../client/served-client.ts";
import { withSeq } from "../json/rpc-lines.ts";
import type { LogEntry, SessionLog } from "./log.ts";

/** A client of a session. It gets the log in order at its own pace; other lines wait for it. */
export class Attachment {
  readonly client: ServedClient;
  readonly role: SessionRole;
  /** Whether the client knows the hub's own methods and wants positions. */
  readonly isExtended: boolean;
  readonly #log: SessionLog | undefined;
  #next: number;
  /** Lines that wait for everything up to a position. */
  #held: { readonly after: number; readonly line: string }[] = [];
  #pumping: Promise<void> | undefined;

  /** `next` is the position of the first entry that the client gets. */
  constructor(
    client: ServedClient,
    role: SessionRole,
    options: {
      readonly isExtended: boolean;
      readonly log: SessionLog | undefined;
      readonly next: number;
    },
  ) {
    this.client = client;
    this.role = role;
    this.isExtended = options.isExtended;
    this.#log = options.log;
    this.#next = options.next;
  }

  /** A line was added to the log; without a log, the line itself. */
  deliver(entry: LogEntry): void {
    if (this.#log && (this.#pumping || this.client.isFull || entry.seq !== this.#next)) {
      void this.#pump();
      return;
    }
    this.#next = entry.seq + 1;
    this.#send(entry);
  }

  /** Sends a line after everything that is in the log now. */
  send(line: string): void {
    const last = this.#log?.last ?? 0;
    if (this.#log && (this.#pumping || this.#next <= last)) {
      this.#held.push({ after: last, line });
      void this.#pump();
      return;
    }
    this.client.send(line);
  }

  #pump(): Promise<void> {
    if (!this.#log) return Promise.resolve();
    this.#pumping ??= this.#sendAll(this.#log).finally(() => {
      this.#pumping = undefined;
    });
    return this.#pumping;
  }

  async #sendAll(log: SessionLog): Promise<void> {
    while (!this.client.isClosed && (await this.#step(log)));
  }

  /** Sends the next line. Returns whether there may be more. */
  async #step(log: SessionLog): Promise<boolean> {
    if (this.client.isFull) {
      await this.client.drained;
      return true;
    }
    const [held] = this.#held;
    if (held && held.after < this.#next) {
      this.#held.shift();
      this.client.send(held.line);
      return true;
    }
    if (this.#next > log.last) return false;
    const read = log.read(this.#next);
    const entry = read instanceof Promise ? await read : read;
    if (!entry) {
      // The client is further behind than the log goes back.
      this.client.cut();
      return false;
    }
    this.#next = entry.seq + 1;
    this.#send(entry);
    return true;
  }

  #send({ line, seq, audience, except }: LogEntry): void {
    if (except === this.client.number) return;
    if (audience === "extension" && !this.isExtended) return;
    this.client.send(this.isExtended ? withSeq(line, seq) : line);
  }
}
