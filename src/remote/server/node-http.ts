/*
 * The parts of Node's requests and responses that the endpoint uses. Those of `node:http`, `node:https`
 * and the compatibility interface of `node:http2` have them.
 */

/** A request that a server received. */
export interface HttpRequestLike {
  /** The method, such as `POST`. */
  readonly method?: string | undefined;
  /** The path and the query. */
  readonly url?: string | undefined;
  /** The headers, with lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The version of HTTP. */
  readonly httpVersionMajor: number;
  /** The connection that it arrived on. */
  readonly socket: {
    /** The client's IP address. */
    readonly remoteAddress?: string | undefined;
  };
  /** Adds a listener for pieces of the body. */
  on(event: "data", listener: (piece: Uint8Array) => void): unknown;
  /** Adds a listener for the end of the body, and of the request. */
  on(event: "end" | "close", listener: () => void): unknown;
  /** Adds a listener for failures. */
  on(event: "error", listener: (error: Error) => void): unknown;
  /** Continues reading the body. */
  resume(): unknown;
  /** Stops reading the body. */
  pause(): unknown;
}

/** The response to a request. */
export interface HttpResponseLike {
  /** The status code to send. */
  statusCode: number;
  /** Whether the headers were sent. */
  readonly headersSent: boolean;
  /** Sets a header. */
  setHeader(name: string, value: string | number): unknown;
  /** Sends a piece of the body. Returns false if it has to wait. */
  write(piece: string): boolean;
  /** Ends the response. */
  end(): unknown;
  /** Ends the response with a last piece of its body. */
  end(piece: string): unknown;
  /** Ends the connection at once. */
  destroy(): unknown;
  /** Adds a listener: there is room again, or the connection is over. */
  on(event: "drain" | "close", listener: () => void): unknown;
  /** Adds a listener for failures. */
  on(event: "error", listener: (error: Error) => void): unknown;
}
