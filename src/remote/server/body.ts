import type { HttpRequestLike } from "./node-http.ts";

/** Why a body could not be read: it is too long, took too long, or the client went away. */
export type BodyFailure = "too-long" | "timeout" | "aborted";

/** The text of a body, or why there is none. */
export type Body =
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
