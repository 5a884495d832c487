import type { Lease } from "../engine.ts";

/** How often a lease is renewed during its time. Two renewals may fail before the holder has to stop. */
export const RENEWALS = 5;

/** Renews a lease until it is stopped. */
export class LeaseKeeper {
  readonly #lease: Lease;
  readonly #lost: (message: string) => void;
  readonly #everyMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #deadline: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  /** `lost` is called once, when the lease is lost or about to be. The holder must stop then. */
  constructor(lease: Lease, leaseMs: number, lost: (message: string) => void) {
    this.#lease = lease;
    this.#lost = lost;
    this.#everyMs = leaseMs / RENEWALS;
    this.#schedule();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#deadline);
  }

  #schedule(): void {
    clearTimeout(this.#deadline);
    const left = this.#lease.validUntil - performance.now();
    this.#deadline = setTimeout(() => this.#end("it could not be renewed in time"), left);
    this.#timer = setTimeout(() => void this.#renew(), this.#everyMs);
  }

  async #renew(): Promise<void> {
    try {
      const isHeld = await this.#lease.renew();
      if (this.#isStopped) return;
      if (isHeld) this.#schedule();
      else this.#end("another host has it");
    } catch {
      // The engine does not answer. The deadline decides.
      if (!this.#isStopped) this.#timer = setTimeout(() => void this.#renew(), this.#everyMs);
    }
  }

  #end(message: string): void {
    if (this.#isStopped) return;
    this.stop();
    this.#lost(message);
  }
}
