import type { JsonObject } from "../../base/index.ts";

/**
 * Rewrites parsed messages between the form on the wire and the form that handlers see. It holds the
 * state of one connection.
 */
export interface Rewriter {
  /** From the wire to the handlers. `undefined` drops the message, an array stands for several. */
  read(message: JsonObject): JsonObject | readonly JsonObject[] | undefined;
  /** From the handlers to the wire. */
  write(message: JsonObject): JsonObject | readonly JsonObject[] | undefined;
  /** Called once, by the peer: lets the rewriter answer a message itself. */
  connect?(ends: RewriterEnds): void;
}

/** Both ends of a connection. Messages that the rewriter itself sends are not rewritten. */
export interface RewriterEnds {
  toWire(message: JsonObject): void;
  toHandlers(message: JsonObject): void;
}

/** A rewriter that passes messages to another one, which can be replaced. */
export interface SwitchingRewriter extends Rewriter {
  use(next: Rewriter): void;
}

/** Creates a rewriter for connections that learn only on the way which rewriter they need. */
export function switchingRewriter(first: Rewriter): SwitchingRewriter {
  let current = first;
  let ends: RewriterEnds | undefined;
  return {
    connect(given) {
      ends = given;
      current.connect?.(given);
    },
    use(next) {
      current = next;
      if (ends) next.connect?.(ends);
    },
    read: (message) => current.read(message),
    write: (message) => current.write(message),
  };
}
