/** What failed, as one word for programs. Each {@link DragomanError} has one. */
export type ErrorCode =
  /** The turn or stream already has a reader. */
  | "already_read"
  /** The agent's answer does not match the schema. */
  | "answer_mismatch"
  /** The other side requires a login or a valid token. */
  | "auth_required"
  /** Another turn is running. */
  | "busy"
  /** The agent did not end a cancelled turn in time. */
  | "cancel_ignored"
  /** This side or the user cancelled it. */
  | "cancelled"
  /** The client, session, turn or server was closed first. */
  | "closed"
  /** No connection could be made. */
  | "connect_failed"
  /** The connection or the agent ended unexpectedly. */
  | "connection_lost"
  /** Another host took over the session. Nothing more can be appended to its log. */
  | "fenced"
  /** Something unexpected failed. */
  | "internal"
  /** An argument, option, schema or file is invalid. */
  | "invalid_argument"
  /** A message, backlog or buffer exceeds its limit. */
  | "limit_exceeded"
  /** The server cannot listen on its address. */
  | "listen_failed"
  /** The login failed. */
  | "login_failed"
  /** The program does not speak the protocol. */
  | "not_an_agent"
  /** The credentials or rules do not permit it. */
  | "not_allowed"
  /** A model, job, file or value does not exist. */
  | "not_found"
  /** A program or package is not installed. */
  | "not_installed"
  /** No host serves the session. The call was not carried out. */
  | "no_owner"
  /** The other side broke its protocol. */
  | "protocol"
  /** The other side answered with an error that no other code describes. */
  | "remote_error"
  /** There is no session with this id. */
  | "session_not_found"
  /** The session is already open. */
  | "session_open"
  /** The agent or command could not be started. */
  | "start_failed"
  /** A time limit was exceeded. */
  | "timeout"
  /** A limit is reached. The same call may succeed later. */
  | "try_later"
  /** The turn ended without the answer that was required. */
  | "turn_incomplete"
  /** A service cannot be reached now. The call may have been carried out. */
  | "unavailable"
  /** The other side does not support it. */
  | "unsupported"
  /** The two sides have no protocol version in common. */
  | "unsupported_version"
  /** Updates were not read in time and were dropped. */
  | "updates_lost";

/** The root of every error of every entry. Decide by `code`; the message is for people. */
export class DragomanError extends Error {
  override readonly name: string = "DragomanError";
  readonly code: ErrorCode;

  /** Creates an error; `options.cause` keeps the error behind it. */
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
