import { Unmet } from "../harness/errors.ts";

/** The client ended the agent, or closed the connection, while a scenario was waiting for it. */
export class ClientGoneError extends Unmet {
  override readonly name = "ClientGoneError";

  constructor(message = "the client closed the connection") {
    super(message);
  }
}

/** The client did not do in time what a scenario was waiting for. */
export class ClientSilentError extends Unmet {
  override readonly name = "ClientSilentError";
}
