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

/** Why a body could not be read: it is too long, took too long, or the client went away. */
type BodyFailure = "too-long" | "timeout" | "aborted";

/** The text of a body, or why there is none. */
type Body =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly failure: BodyFailure };

/** Reads the body of a request, up to a length in bytes and a time. Never rejects. */
export function readBody(request: HttpRequestLike, maxBytes: number, ms: number): Promise<Body> {
  return new Promise((resolve) => {
    let pieces: Uint8Array[] = [];
    let size = 0;
    const done = (body: Body): void => {
      clearTimeout(timer);
      pieces = [];
      // The rest is not read.
      if (!body.ok) request.pause();
      resolve(body);
    };
    const timer = setTimeout(() => done({ ok: false, failure: "timeout" }), ms);
    if (Number(request.headers["content-length"] ?? 0) > maxBytes) {
      done({ ok: false, failure: "too-long" });
      return;
    }
    request.on("data", (piece) => {
      size += piece.length;
      if (size > maxBytes) done({ ok: false, failure: "too-long" });
      else pieces.push(piece);
    });
    request.on("end", () => done({ ok: true, text: Buffer.concat(pieces).toString("utf8") }));
    request.on("error", () => done({ ok: false, failure: "aborted" }));
    request.on("close", () => done({ ok: false, failure: "aborted" }));
  });
}
