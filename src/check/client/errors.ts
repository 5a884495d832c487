/** The client ended the agent, or closed the connection, while a scenario was waiting for it. */
export class ClientGoneError extends Error {
  override readonly name = "ClientGoneError";

  constructor() {
    super("the client closed the connection");
  }
}

/** The client did not do in time what a scenario was waiting for. */
export class ClientSilentError extends Error {
  override readonly name = "ClientSilentError";
}
