import { DragomanError, type ErrorCode, redactText } from "../../base/index.ts";

/** A server answered a request of the HTTP transport, or the one for a WebSocket, with an error. */
export class HttpStatusError extends DragomanError {
  override readonly name = "HttpStatusError";
  /** The status code, such as 401 for a missing or wrong token. */
  readonly status: number;
  readonly body: string;

  /** Describes an answer. `what` is the request that it answers. */
  constructor(what: string, status: number, body: string) {
    const details = body === "" ? "" : `: ${redactText(body)}`;
    super(wordFor(status), `${what}: the server answered ${status}${details}`);
    this.status = status;
    this.body = body;
  }
}

function wordFor(status: number): ErrorCode {
  if (status === 401) return "auth_required";
  if (status === 403) return "not_allowed";
  if (status === 404) return "not_found";
  return status === 503 ? "unavailable" : "protocol";
}
