import type { RulesFile } from "../../../client/rules/index.ts";
import type { EnvOverlay } from "../../../base/index.ts";
import type { AuditLog } from "../audit/audit-log.ts";

/** Options of `hubPolicy`. */
export interface HubPolicyOptions {
  /** The permission rules. Default: none. */
  readonly rules?: RulesFile | undefined;
  /**
   * Who answers `fs/*` and `terminal/*`. `client`: the clients, on their machine. `server`: the hub, on this
   * machine, inside the folders of the session; these must be real paths, as `rootChecker` makes them.
   */
  readonly files: "client" | "server";
  /** Receives every decision. Default: none is kept. */
  readonly audit?: Pick<AuditLog, "record"> | undefined;
  /**
   * The answer to an agent that reads a missing file: an error, as the protocol says, or an empty
   * text, which some agents need to create files. It gets the name of the agent. Default: an error.
   */
  readonly missingFile?: ((agent: string) => "error" | "empty") | undefined;
  /** Changes the environment of commands that the hub runs. `undefined` removes a name. */
  readonly env?: EnvOverlay | undefined;
}
