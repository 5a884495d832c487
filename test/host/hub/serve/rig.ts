// A server on loopback with a hub that passes every line on, and agents in this process.
import { afterwards, agentScript, type Script } from "../../../transport/remote/rig.ts";
import type { TokenGrant } from "../../../../src/transport/remote/index.ts";
import { type Channel, hashToken, memoryPair } from "../../../../src/transport/wire/index.ts";
import type {
  Hub,
  HubAgent,
  HubClientOptions,
  HubOptions,
  HubServer,
  ServeEvent,
  ServeHubOptions,
} from "../../../../src/host/hub/index.ts";
import { serveWith } from "../../../../src/host/hub/serve/serve.ts";

/** A token and its grant. */
export function tokenFor(name: string, rights: Partial<TokenGrant> = {}): TestToken {
  const token = `${name}-${"x".repeat(40)}`;
  const grant: TokenGrant = {
    name,
    sha256: hashToken(token),
    agents: undefined,
    roots: undefined,
    role: "controller",
    expires: undefined,
    ...rights,
  };
  return { token, grant, headers: { authorization: `Bearer ${token}` } };
}

export interface TestToken {
  readonly token: string;
  readonly grant: TokenGrant;
  readonly headers: { readonly authorization: string };
}

/** An agent that follows a script. */
export function scriptedAgent(name: string, script: Script = agentScript): HubAgent {
  return {
    name,
    key: name,
    open: async () => {
      const [near, far] = memoryPair();
      far.open((line) => script(line, far));
      return near;
    },
  };
}

interface PlainHub extends Hub {
  readonly options: HubOptions;
  /** The clients that were served, oldest first. */
  readonly clients: HubClientOptions[];
  /** How `drain` was called. */
  readonly drained: number[];
  /** Draining waits for it. */
  turn: Promise<void>;
}

/** Gives each client an agent of its own, and passes every line on. */
function plainHub(options: HubOptions): PlainHub {
  const channels = new Set<Channel>();
  const clients: HubClientOptions[] = [];
  const drained: number[] = [];
  const close = async (): Promise<void> => {
    await Promise.all([...channels].map((channel) => channel.close()));
  };
  return {
    [Symbol.asyncDispose]: close,
    options,
    clients,
    drained,
    turn: Promise.resolve(),
    sessions: [],
    agents: [],
    serve(channel, client) {
      clients.push(client);
      channels.add(channel);
      void channel.closed.then(() => channels.delete(channel));
      const opening = client.agent.open();
      channel.open((line) => void opening.then((agent) => agent.send(line)));
      void opening.then((agent) => {
        channels.add(agent);
        agent.open((line) => void channel.send(line).catch(() => {}));
        void channel.closed.then(() => agent.close());
      });
      return {
        closed: channel.closed.then(() => {}),
        close: async () => void (await channel.close()),
      };
    },
    async drain(ms) {
      drained.push(ms);
      await this.turn;
      await close();
    },
    close,
  };
}

export interface TestHubServer extends HubServer {
  readonly hub: PlainHub;
  readonly events: ServeEvent[];
  /** Resolves with the next event of a type. */
  next(type: ServeEvent["type"]): Promise<ServeEvent>;
}

export const ADA = tokenFor("ada");
export const BOB = tokenFor("bob");

/** Starts a server with one agent and the tokens of two people. */
export async function startHubServer(
  options: Partial<ServeHubOptions> = {},
): Promise<TestHubServer> {
  const events: ServeEvent[] = [];
  const waiting: { readonly type: string; readonly resolve: (event: ServeEvent) => void }[] = [];
  let hub: PlainHub | undefined;
  const server = await serveWith(
    (hubOptions) => {
      hub = plainHub(hubOptions);
      return hub;
    },
    {
      agents: [scriptedAgent("echo")],
      tokens: [ADA.grant, BOB.grant],
      reloadMs: 20,
      onEvent: (event) => {
        events.push(event);
        for (const { type, resolve } of waiting) if (type === event.type) resolve(event);
      },
      ...options,
    },
  );
  afterwards(() => server.close());
  if (!hub) throw new Error("the server made no hub");
  return Object.assign(server, {
    hub,
    events,
    next: (type: ServeEvent["type"]) =>
      new Promise<ServeEvent>((resolve) => {
        waiting.push({ type, resolve });
      }),
  });
}
