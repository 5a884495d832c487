/** A queue of values. Readers may wait for a value before it arrives. */
export class ArrivalQueue<T> {
  readonly #values: T[] = [];
  readonly #readers: { resolve(value: T): void; reject(error: Error): void }[] = [];
  #closed: Error | undefined;

  push(value: T): void {
    const reader = this.#readers.shift();
    if (reader === undefined) this.#values.push(value);
    else reader.resolve(value);
  }

  next(): Promise<T> {
    const value = this.#values.shift();
    if (value !== undefined) return Promise.resolve(value);
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    return new Promise((resolve, reject) => {
      this.#readers.push({ resolve, reject });
    });
  }

  close(reason: Error): void {
    this.#closed = reason;
    for (const reader of this.#readers.splice(0)) reader.reject(reason);
  }
}
