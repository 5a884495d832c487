/** No connection could be made. */
export class ConnectError extends Error {
  override readonly name = "ConnectError";
  /** The address: `127.0.0.1:4711`, a path, or the address of a WebSocket without its query. */
  readonly address: string;
  /** The system's code, such as `ECONNREFUSED`; undefined if it gave none. */
  readonly code: string | undefined;

  /** Describes an address that cannot be connected to. */
  constructor(address: string, cause: Error) {
    super(`could not connect to ${address}: ${messageOf(cause)}`, { cause });
    this.address = address;
    this.code = codeOf(cause);
  }
}

const UNAUTHORIZED = 401;

/** Whether a server refused a connection because the token is missing or wrong. */
export function isUnauthorized(error: unknown): boolean {
  const answer = error instanceof ConnectError ? error.cause : error;
  return answer instanceof Error && "status" in answer && answer.status === UNAUTHORIZED;
}

/** A server could not listen on its address, or stopped because it failed. */
export class ListenError extends Error {
  override readonly name = "ListenError";
  /** The address: `127.0.0.1:4711`, or a path. */
  readonly address: string;
  /** The system's code, such as `EADDRINUSE`; undefined if it gave none. */
  readonly code: string | undefined;

  /** Describes an address that cannot be listened on. */
  constructor(address: string, cause: Error) {
    super(`could not listen on ${address}: ${messageOf(cause)}`, { cause });
    this.address = address;
    this.code = codeOf(cause);
  }
}

/** If a name has several addresses and all fail, Node's error has one error for each and no text. */
function messageOf(error: Error): string {
  if (error.message !== "" || !(error instanceof AggregateError)) return error.message;
  return error.errors
    .map((each) => (each instanceof Error ? each.message : String(each)))
    .join("; ");
}

function codeOf(error: Error): string | undefined {
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}
