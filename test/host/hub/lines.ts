import type { Channel } from "../../../src/transport/wire/index.ts";

/** The lines that arrive on a channel, one after the other. */
export class Lines {
  readonly #arrived: string[] = [];
  #wake: () => void = () => {};

  constructor(channel: Channel) {
    channel.open((line) => {
      this.#arrived.push(line);
      this.#wake();
    });
  }

  async next(): Promise<string> {
    for (;;) {
      const line = this.#arrived.shift();
      if (line !== undefined) return line;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async nextFrame(): Promise<unknown> {
    return JSON.parse(await this.next());
  }
}
