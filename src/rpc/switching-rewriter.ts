import type { Rewriter, RewriterEnds } from "./messages.ts";

/** A rewriter that passes messages to another one, which can be replaced. */
export interface SwitchingRewriter extends Rewriter {
  /** Uses another rewriter from the next message on. */
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
