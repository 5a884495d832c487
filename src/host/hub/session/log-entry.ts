/** One line of a session, at its position. */
export interface LogEntry {
  /** The position, counted from 1. */
  readonly seq: number;
  /** The notification, as it is sent to clients. */
  readonly line: string;
  /** `extension`: only for clients that know the hub's own methods. */
  readonly audience: "all" | "extension";
  /** The number of the client that knows it already, because it sent the prompt. */
  readonly except: number | undefined;
}
