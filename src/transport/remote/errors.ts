import { redactText } from "../../base/index.ts";

/** A server answered a request of the HTTP transport, or the one for a WebSocket, with an error. */
export class HttpStatusError extends Error {
  override readonly name = "HttpStatusError";
  /** The status code, such as 401 for a missing or wrong token. */
  readonly status: number;
  readonly body: string;

  /** Describes an answer. `what` is the request that it answers. */
  constructor(what: string, status: number, body: string) {
    const details = body === "" ? "" : `: ${redactText(body)}`;
    super(`${what}: the server answered ${status}${details}`);
    this.status = status;
    this.body = body;
  }
}
