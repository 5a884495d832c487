import type { ProtocolChoice } from "../../client/index.ts";
import { deferred, immediately } from "../../base/index.ts";
import { type Channel, stdioChannel } from "../../transport/wire/index.ts";
import type { HubEvent } from "./events.ts";
import { createHub } from "./hub.ts";
import type { HubAgent, HubOptions } from "./options.ts";
import { translatedAgent } from "./translate.ts";

/** Options of {@link proxy}. */
export interface ProxyOptions extends Pick<
  HubOptions,
  "policy" | "onUnjudged" | "capabilities" | "checkOpen" | "onEvent" | "limits"
> {
  readonly agent: HubAgent;
  /** The version of ACP to speak with the agent. Default: the client's own. */
  readonly protocol?: ProtocolChoice | undefined;
  /** The connection to the client. Default: stdin and stdout of this process. */
  readonly channel?: Channel | undefined;
}

/** Why a proxy ended. */
export type ProxyEnd =
  /** The client left, or the proxy was closed. */
  | { readonly kind: "closed" }
  /** The agent could not be started the first time. The client got the error as well. */
  | { readonly kind: "cannot_start"; readonly error: Error }
  /** The agent failed so often that it is not started again. The client got the error as well. */
  | { readonly kind: "given_up"; readonly error: Error };

/** A running proxy. */
export interface AgentProxy {
  /** Resolves when the proxy has ended and nothing of the agent is left. Never rejects. */
  readonly ended: Promise<ProxyEnd>;
  /** Ends the connection and the agent. Never rejects. */
  close(): Promise<void>;
  /** Calls `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Stands between one client and its agent, in place of the agent: relays their messages unchanged, starts
 * the agent again when it dies, and opens its sessions again. Returns at once; the agent is started when
 * the client sends `initialize`.
 */
export function proxy(options: ProxyOptions): AgentProxy {
  const { policy, onUnjudged, capabilities, checkOpen, limits, protocol } = options;
  const { channel = stdioChannel() } = options;
  const failed = deferred<ProxyEnd>();
  let hasStarted = false;
  const onEvent = (event: HubEvent): void => {
    if (event.type === "agent_started") hasStarted = true;
    if (event.type !== "agent_start_failed") return options.onEvent?.(event);
    const { error } = event;
    // A command that never worked is not tried again: a person has to correct it.
    const retryMs = hasStarted ? event.retryMs : undefined;
    options.onEvent?.({ ...event, retryMs });
    if (retryMs === undefined) {
      failed.resolve({ kind: hasStarted ? "given_up" : "cannot_start", error });
    }
  };
  const hub = createHub({ policy, onUnjudged, capabilities, checkOpen, limits, onEvent });
  const agent = protocol === undefined ? options.agent : translated(options.agent, protocol);
  const client = hub.serve(channel, { agent, owner: OWNER });
  const left = client.closed.then((): ProxyEnd => ({ kind: "closed" }));
  const close = async (): Promise<void> => {
    await hub.close();
    await channel.close();
  };
  const ended = Promise.race([left, failed.promise]).then(async (end) => {
    // The hub reports a failure before it has answered the requests that waited for the agent.
    await new Promise<void>((resolve) => immediately(resolve));
    await close();
    return end;
  });
  return { ended, close, [Symbol.asyncDispose]: close };
}

/** A proxy has one client, so its name only has to exist. */
const OWNER = "client";

function translated(agent: HubAgent, protocol: ProtocolChoice): HubAgent {
  return {
    name: agent.name,
    key: `${agent.key} ${protocol}`,
    open: async () => translatedAgent(await agent.open(), protocol),
  };
}
