import type { Meta } from "./meta.ts";

/** How far the choice of an `always` option is remembered. */
export type StickyScope = "session" | "agent" | "off";

/**
 * `allow` and `deny` apply once, and `allow_always` from now on. An `optionId` chooses that option. The
 * choice of an `always` option is remembered, for the session or for all sessions with this agent.
 */
export type PermissionDecision =
  | "allow"
  | "allow_always"
  | "deny"
  | "cancel"
  | {
      readonly decision: "deny";
      /** Tells the agent why, as far as its protocol can carry that. */
      readonly message: string;
    }
  | {
      readonly optionId: string;
      /** How far the choice of an `always` option reaches. Default: the agent's or the client's choice. */
      readonly remember?: StickyScope | undefined;
      /** Sent as the `_meta` of the outcome, if the protocol has it. */
      readonly meta?: Meta | undefined;
    };
