/**
 * How far a client or a session is in its life. It leaves `open` before any of its turns fails, so code
 * that handles a failed turn can rely on it. `closing` lasts until nothing that belongs to it is left.
 */
export type LifecycleState = "open" | "closing" | "closed";
