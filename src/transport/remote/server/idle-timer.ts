import { RestartableTimer } from "../../../base/index.ts";

/** Reports that a connection was idle for a time. It goes on as long as the connection is busy. */
export class IdleTimer {
  readonly #ms: number;
  readonly #isBusy: () => boolean;
  readonly #expire: () => void;
  #timer: RestartableTimer;

  constructor(ms: number, isBusy: () => boolean, expire: () => void) {
    this.#ms = ms;
    this.#isBusy = isBusy;
    this.#expire = expire;
    this.#timer = this.#start();
  }

  restart(): void {
    this.#timer.restart();
  }

  stop(): void {
    this.#timer.stop();
  }

  #start(): RestartableTimer {
    return new RestartableTimer(this.#ms, () => {
      if (this.#isBusy()) this.#timer = this.#start();
      else this.#expire();
    });
  }
}
