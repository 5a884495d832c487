import { type AgentCapability, agentHas, isUnstableCapability } from "../../protocol/acp/index.ts";
import { CapabilityError } from "../errors.ts";

/** The part of a connection that decides what may be called. */
export interface CapabilityHost {
  /** The agent's capabilities, as far as this client may use them. */
  readonly capabilities: unknown;
  /** Whether the client was started with `unstable: true`. */
  readonly unstable: boolean;
}

/** Throws CapabilityError unless the agent advertises the capability and this client may use it. */
export function assertCapability(
  host: CapabilityHost,
  what: string,
  capability: AgentCapability,
): void {
  if (agentHas(host.capabilities, capability)) return;
  if (host.unstable || !isUnstableCapability(capability)) {
    throw new CapabilityError(what, capability);
  }
  const why = `"${capability}" is not stable in the protocol; start the client with unstable: true`;
  throw new CapabilityError(what, capability, why);
}
