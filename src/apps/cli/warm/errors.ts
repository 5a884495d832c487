/** The hub answered, and does not do what it was asked for. */
export class HubRefusedError extends Error {
  override readonly name = "HubRefusedError";
}

/** The connection to a hub broke. Whether a prompt that was sent has run is not known. */
export class HubLostError extends Error {
  override readonly name = "HubLostError";

  constructor() {
    super("the connection to the hub was lost");
  }
}
