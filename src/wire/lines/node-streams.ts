/**
 * The part of a Node `Readable` that a channel uses: a socket, a process's stdout, a `PassThrough`.
 */
export interface NodeReadable {
  /** Adds a listener for chunks, which also starts reading. */
  on(event: "data", listener: (chunk: Uint8Array | string) => void): unknown;
  /** Adds a listener for the end of the data, or of the stream. */
  on(event: "end" | "close", listener: () => void): unknown;
  /** Adds a listener for failures. */
  on(event: "error", listener: (error: Error) => void): unknown;
  /** Removes the listeners for an event. */
  removeAllListeners(event: string): unknown;
  /** Stops reading. */
  pause(): unknown;
  /** Starts reading. */
  resume(): unknown;
  /** Frees the stream's resources. */
  destroy(): unknown;
  /** Whether the stream was destroyed. */
  readonly destroyed: boolean;
  /** The error that the stream failed with. */
  readonly errored: Error | null;
}

/** The part of a Node `Writable` that a channel uses. */
export interface NodeWritable {
  /** Adds a listener for the moment when there is room again, or for the end. */
  on(event: "drain" | "close", listener: () => void): unknown;
  /** Adds a listener for failures. */
  on(event: "error", listener: (error: Error) => void): unknown;
  /** Adds a listener for the end that is called at most once. */
  once(event: "close", listener: () => void): unknown;
  /** Writes a chunk. Returns false if the stream is full. */
  write(chunk: Uint8Array | string, encoding: "utf8"): boolean;
  /** Ends the stream after everything was written. */
  end(done: () => void): unknown;
  /** Frees the stream's resources. */
  destroy(): unknown;
  /** Whether the stream was destroyed. */
  readonly destroyed: boolean;
}
