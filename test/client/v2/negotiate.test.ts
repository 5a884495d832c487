import * as v1 from "@agentclientprotocol/sdk";
import * as v2 from "@agentclientprotocol/sdk/experimental/v2";
import { afterEach, describe, expect, it } from "vitest";
import { AcpClient, StartError, UnsupportedVersionError } from "../../../src/entries/dragoman.ts";
import type { ConnectionConfig } from "../../../src/client/index.ts";
import { type Channel, memoryPair, streamFromChannel, tapped } from "../../../src/entries/wire.ts";
import { RpcError } from "../../../src/transport/rpc/index.ts";
import { connect, FakeAgent, initialized } from "../fake-agent.ts";

const clients: AcpClient[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

/** The capabilities that the v1 side of an agent was given, in order. */
type Seen = (v1.ClientCapabilities | null | undefined)[];

function v1App(seen: Seen): v1.AgentApp {
  return v1.agent({ name: "v1" }).onRequest(v1.methods.agent.initialize, ({ params }) => {
    seen.push(params.clientCapabilities);
    return { protocolVersion: 1, agentInfo: { name: "v1", version: "1" } };
  });
}

function v2App(): v2.AgentApp {
  return v2.agent({ name: "v2" }).onRequest(v2.methods.agent.initialize, () => ({
    protocolVersion: 2,
    info: { name: "v2", version: "1" },
    capabilities: { session: {} },
  }));
}

/** Agents and routers of the SDK. */
const agents = {
  "an agent of v1": (stream: v1.Stream, seen: Seen) => void v1App(seen).connect(stream),
  "a router with v1 only": (stream: v1.Stream, seen: Seen) =>
    void v2.agentProtocolRouter().withV1(v1App(seen)).connect(stream),
  "an agent of v2": (stream: v1.Stream) => void v2App().connect(stream),
  "a router with both": (stream: v1.Stream, seen: Seen) =>
    void v2.agentProtocolRouter().withV1(v1App(seen)).withV2(v2App()).connect(stream),
};

interface Attempt {
  /** The version in use, or the error. */
  readonly outcome: unknown;
  readonly seen: Seen;
  /** The versions that the client asked for, in order. */
  readonly asked: unknown[];
}

async function attempt(
  agent: keyof typeof agents,
  protocol: ConnectionConfig["protocol"],
): Promise<Attempt> {
  const [ours, theirs] = memoryPair();
  const seen: Seen = [];
  const asked: unknown[] = [];
  const watched: Channel = tapped(theirs, ({ direction, line }) => {
    const frame = JSON.parse(line) as { params?: { protocolVersion?: number } };
    if (direction === "in") asked.push(frame.params?.protocolVersion);
  });
  agents[agent](streamFromChannel(watched), seen);
  const capabilities = { fs: { writeTextFile: true } };
  const starting = AcpClient.start({ channel: ours, protocol, capabilities });
  const outcome = await starting.then(
    (client) => {
      clients.push(client);
      return client.agent.protocolVersion;
    },
    (error: unknown) => error,
  );
  return { outcome, seen, asked };
}

function unsupported(error: unknown): { offered: number; spoken: unknown } | undefined {
  const cause: unknown = error instanceof StartError ? error.cause : undefined;
  if (!(cause instanceof UnsupportedVersionError)) return undefined;
  return { offered: cause.offered, spoken: cause.spoken };
}

describe("a client that asks for version 1", () => {
  it.each(["an agent of v1", "a router with v1 only", "a router with both"] as const)(
    "speaks it with %s",
    async (agent) => {
      const { outcome, seen, asked } = await attempt(agent, 1);
      expect(outcome).toBe(1);
      expect(asked).toEqual([1]);
      expect(seen).toMatchObject([{ fs: { writeTextFile: true } }]);
    },
  );

  it("is refused by an agent of v2", async () => {
    const { outcome } = await attempt("an agent of v2", 1);
    expect(unsupported(outcome)).toEqual({ offered: 2, spoken: 1 });
  });
});

describe("a client that asks for version 2", () => {
  it.each(["an agent of v2", "a router with both"] as const)("speaks it with %s", async (agent) => {
    const { outcome, asked } = await attempt(agent, 2);
    expect(outcome).toBe(2);
    expect(asked).toEqual([2]);
  });

  it.each(["an agent of v1", "a router with v1 only"] as const)("refuses %s", async (agent) => {
    const { outcome } = await attempt(agent, 2);
    expect(unsupported(outcome)).toEqual({ offered: 1, spoken: 2 });
  });

  it("refuses an agent of v1 that repeats the number", async () => {
    const agent = new FakeAgent({ initialize: () => initialized({}, { protocolVersion: 2 }) });
    const error: unknown = await connect(agent, { protocol: 2 }).catch((reason: unknown) => reason);
    expect(unsupported(error)).toMatchObject({ spoken: 2 });
  });

  it("names the newest version of an agent that supports others", async () => {
    const agent = new FakeAgent({ initialize: refuse([3, 4]) });
    const error: unknown = await connect(agent, { protocol: 2 }).catch((reason: unknown) => reason);
    expect(unsupported(error)).toEqual({ offered: 4, spoken: 2 });
  });
});

describe("a client that asks for the newest version", () => {
  it.each(["an agent of v2", "a router with both"] as const)(
    "speaks version 2 with %s",
    async (agent) => {
      const { outcome, asked } = await attempt(agent, "newest");
      expect(outcome).toBe(2);
      expect(asked).toEqual([2]);
    },
  );

  it.each(["an agent of v1", "a router with v1 only"] as const)(
    "asks %s again in the form of version 1, so that it knows the client's capabilities",
    async (agent) => {
      const { outcome, seen, asked } = await attempt(agent, "newest");
      expect(outcome).toBe(1);
      expect(asked).toEqual([2, 1]);
      expect(seen.at(-1)).toMatchObject({ fs: { writeTextFile: true } });
    },
  );

  it("speaks version 1 with an agent of v1 that repeats the number", async () => {
    const agent = new FakeAgent({
      initialize: ({ protocolVersion }) => initialized({}, { protocolVersion }),
    });
    const client = await connect(agent, { protocol: "newest" });
    clients.push(client);
    expect(client.agent.protocolVersion).toBe(1);
  });

  it("keeps the first answer of an agent of v1 that allows only one initialize", async () => {
    let count = 0;
    const agent = new FakeAgent({
      initialize: () => {
        if (++count > 1) throw new RpcError(-32600, "already initialized");
        return initialized({ loadSession: true });
      },
    });
    const client = await connect(agent, { protocol: "newest" });
    clients.push(client);
    expect(client.agent.protocolVersion).toBe(1);
    expect(client.agent.capabilities.loadSession).toBe(true);
  });

  it("speaks version 1 with an agent that refuses version 2 and names 1", async () => {
    const agent = new FakeAgent({
      initialize: (params) => (params["protocolVersion"] === 1 ? initialized() : refuse([1])()),
    });
    const client = await connect(agent, { protocol: "newest" });
    clients.push(client);
    expect(client.agent.protocolVersion).toBe(1);
  });

  it("refuses an agent that supports neither", async () => {
    const agent = new FakeAgent({ initialize: refuse([7]) });
    const error: unknown = await connect(agent, { protocol: "newest" }).catch(
      (reason: unknown) => reason,
    );
    expect(unsupported(error)).toEqual({ offered: 7, spoken: "newest" });
  });
});

function refuse(supported: readonly number[]) {
  return (): never => {
    throw new RpcError(-32022, "Unsupported protocol version", { requested: 2, supported });
  };
}

/** Starts a client with an agent that answers `initialize` with these fields. */
function startWith(answer: object, protocol: 1 | 2 = 1): Promise<AcpClient> {
  const [channel, agent] = memoryPair();
  agent.open((line) => {
    const { id } = JSON.parse(line) as { id: number };
    void agent.send(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  });
  return AcpClient.start({ channel, protocol });
}

const refusal = (...supported: readonly number[]) => ({
  error: { code: -32022, message: "Unsupported protocol version", data: { supported } },
});

const causeOf = async (starting: Promise<unknown>): Promise<unknown> => {
  const error = await starting.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StartError);
  return error instanceof StartError ? error.cause : undefined;
};

describe("an agent without the version that the client asks for", () => {
  it("is named with the newest version that it has, if it has no version 1", async () => {
    const cause = await causeOf(startWith(refusal(2, 3)));
    expect(cause).toBeInstanceOf(UnsupportedVersionError);
    expect(cause).toMatchObject({ offered: 3, spoken: 1, cause: { rpcCode: -32022 } });
  });

  it("keeps its own error if it names no versions", async () => {
    expect(await causeOf(startWith(refusal()))).toMatchObject({
      name: "RemoteError",
      rpcCode: -32022,
    });
    const cause = await causeOf(startWith(refusal(), 2));
    expect(cause).toMatchObject({ name: "RemoteError", rpcCode: -32022 });
  });

  it("speaks version 1, if it only repeats the number of version 2", async () => {
    const cause = await causeOf(startWith({ result: { protocolVersion: 2 } }, 2));
    expect(cause).toMatchObject({ name: "UnsupportedVersionError", offered: 1, spoken: 2 });
  });
});
