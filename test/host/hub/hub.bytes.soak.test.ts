// A session through the relay and a direct session have the same bytes, apart from the ids of requests.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHub } from "../../../src/host/hub/index.ts";
import { type Channel, memoryPair } from "../../../src/transport/wire/index.ts";
import { seed, times } from "../../support/soak.ts";
import { Lines } from "./lines.ts";

/** JSON as text, with everything that parsing and serializing again would change. */
const space = fc.constantFrom("", "", "", " ", "\t", "  ");
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }).map((value) => JSON.stringify(value)),
  fc.constantFrom(
    String.raw`"\u00e9\/\ud83d\ude00"`,
    String.raw`"\ud800"`,
    '"é\u2028😀"',
    '"id"',
    String.raw`"\"id\":1,"`,
    '"}{"',
  ),
);
const scalar = fc.oneof(
  text,
  fc.constantFrom(
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1.0",
    "1e400",
    "0.1e-7",
    "12345678901234567890",
    "123456789.123456789123456789",
  ),
);
const key = fc.oneof(
  fc.constantFrom('"id"', '"method"', '"_meta"', '"jsonrpc"', '"result"', '"10"', '"2"'),
  text,
);
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc
      // No key twice: such a message can be read in two ways, and is refused.
      .uniqueArray(fc.tuple(key, space, tie("value")), {
        maxLength: 4,
        selector: ([name]): string => JSON.parse(name),
      })
      .map((fields) => `{${fields.map(([name, gap, of]) => `${name}:${gap}${of}`).join(",")}}`),
    fc
      .tuple(space, fc.array(tie("value"), { maxLength: 3 }))
      .map(([gap, items]) => `[${gap}${items.join(`,${gap}`)}]`),
  ),
}));

/** Fields in any order with any spaces between them. `ID` stands for the id of the request. */
const ID = "\u0000";
interface Shape {
  readonly extra: string;
  readonly order: readonly number[];
  readonly gap: string;
}
const shape: fc.Arbitrary<Shape> = fc.record({
  extra: value,
  order: fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }),
  gap: space,
});

function lineOf(fields: readonly string[], { extra, order, gap }: Shape): string {
  const all = [...fields, `"_extra":${gap}${extra}`];
  const ordered = order.flatMap((at) => all[at] ?? []);
  return `{${gap}${ordered.join(`${gap},${gap}`)}${gap}}`;
}

const id = fc.oneof(
  fc.nat({ max: 5 }).map(String),
  fc.nat({ max: 5 }).map((n) => `"${n}"`),
  fc.constantFrom('"é\\u00e9"', '"\\"id\\":3"', "-7", "9007199254740993", '""'),
);
const fromClient: fc.Arbitrary<string> = fc.constantFrom(
  "_vendor/ask",
  "vendor.ask",
  "session/prompt",
  "session/set_mode",
  "session/set_config_option",
  "session/unknown",
  "authenticate",
);
const fromAgent: fc.Arbitrary<string> = fc.constantFrom(
  "session/request_permission",
  "fs/read_text_file",
  "terminal/create",
  "elicitation/create",
  "_vendor/ask",
  "vendor.ask",
);
const told = fc.constantFrom(
  "session/update",
  "_vendor/tell",
  "vendor.tell",
  "session/info",
  "session/cancel",
);
const side = fc.constantFrom("client" as const, "agent" as const);
const action = fc.oneof(
  fc.record({ do: fc.constant("tell" as const), side, method: told, value, shape }),
  fc.record({ do: fc.constant("ask" as const), method: fromClient, id, value, shape }),
  fc.record({ do: fc.constant("ask back" as const), method: fromAgent, id, value, shape }),
  fc.record({
    do: fc.constant("answer" as const),
    side,
    which: fc.nat(),
    kind: fc.constantFrom("result", "error"),
    value,
    shape,
  }),
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

/** A request that arrived, with the id that each side knows it by. */
interface OpenRequest {
  readonly method: string;
  readonly asked: string;
  readonly arrived: string;
}

const info = { name: "x", version: "1" };
const HANDSHAKES = {
  1: [
    { protocolVersion: 1, clientCapabilities: { fs: { readTextFile: true } }, clientInfo: info },
    { protocolVersion: 1, agentCapabilities: { loadSession: true }, agentInfo: info },
  ],
  2: [
    { protocolVersion: 2, capabilities: {}, info },
    { protocolVersion: 2, capabilities: { session: {} }, info },
  ],
} as const;

class Relay {
  readonly client: Channel;
  readonly agent: Channel;
  readonly toClient: Lines;
  readonly toAgent: Lines;
  readonly open: { readonly client: OpenRequest[]; readonly agent: OpenRequest[] };
  readonly #hub = createHub();

  constructor() {
    const [client, far] = memoryPair();
    const [near, agent] = memoryPair();
    [this.client, this.agent] = [client, agent];
    this.#hub.serve(far, { agent: { name: "x", key: "x", open: async () => near }, owner: "x" });
    [this.toClient, this.toAgent] = [new Lines(client), new Lines(agent)];
    this.open = { client: [], agent: [] };
  }

  /** Opens the connection and a session. */
  async start(version: 1 | 2): Promise<void> {
    const [params, result] = HANDSHAKES[version];
    await this.exchange("initialize", JSON.stringify(params), JSON.stringify(result));
    await this.exchange("session/new", '{"cwd":"/","mcpServers":[]}', '{"sessionId":"s"}');
  }

  async exchange(method: string, params: string, result: string): Promise<void> {
    const plain = { extra: "{}", order: [0, 1, 2, 3, 4], gap: "" };
    await this.act({ do: "ask", method, id: '"start"', value: params, shape: plain }, params);
    const answer = { do: "answer", side: "agent", which: 0, kind: "result" } as const;
    await this.act({ ...answer, value: result, shape: plain });
  }

  async act(one: Action, params = `{"sessionId":"s","value":${one.value}}`): Promise<void> {
    switch (one.do) {
      case "tell": {
        const fields = [`"method":"${one.method}"`, `"params":${params}`, '"jsonrpc":"2.0"'];
        return this.#same(one.side, lineOf(fields, one.shape));
      }
      case "ask":
        return this.#ask("client", one, params);
      case "ask back":
        return this.#ask("agent", one, params);
      case "answer": {
        const open = this.open[one.side];
        const [request] = open.splice(one.which % Math.max(open.length, 1), 1);
        if (!request) return;
        const body =
          one.kind === "result" ? one.value : `{"code":-7,"message":"x","data":${one.value}}`;
        const fields = [`"id":${ID}`, `"${one.kind}":${body}`, '"jsonrpc":"2.0"'];
        const line = lineOf(fields, one.shape);
        void this[one.side].send(line.replace(ID, () => request.arrived));
        expect(await this.#at(one.side)).toBe(line.replace(ID, () => request.asked));
      }
    }
  }

  close(): Promise<void> {
    return this.#hub.close();
  }

  async #ask(
    from: "client" | "agent",
    one: { readonly method: string; readonly id: string; readonly shape: Shape },
    params: string,
  ): Promise<void> {
    const to = from === "client" ? "agent" : "client";
    // Two open requests must not have the same id, and a prompt would wait for the one before it.
    const isPrompt = one.method === "session/prompt";
    if (this.open[to].some(({ asked }) => asked === one.id)) return;
    if (isPrompt && this.open[to].some(({ method: open }) => open === one.method)) return;
    const method = `"method":"${one.method}"`;
    const fields = [`"id":${ID}`, method, `"params":${params}`, '"jsonrpc":"2.0"'];
    const line = lineOf(fields, one.shape);
    void this[from].send(line.replace(ID, () => one.id));
    const arrived = await this.#at(from);
    const [before = "", after = ""] = line.split(ID);
    expect(arrived.slice(0, before.length)).toBe(before);
    expect(arrived.slice(arrived.length - after.length)).toBe(after);
    const known = arrived.slice(before.length, arrived.length - after.length);
    expect(known).toMatch(/^(?:-?\d+|"[^"]*")$/);
    this.open[to].push({ method: one.method, asked: one.id, arrived: known });
  }

  async #same(from: "client" | "agent", line: string): Promise<void> {
    void this[from].send(line);
    expect(await this.#at(from)).toBe(line);
  }

  /** The next line at the other side. */
  #at(from: "client" | "agent"): Promise<string> {
    return from === "client" ? this.toAgent.next() : this.toClient.next();
  }
}

describe.each([1, 2] as const)("a session of version %i through a hub", (version) => {
  it("has the bytes of a direct session, apart from the ids of requests", async () => {
    const run = async (actions: readonly Action[]): Promise<void> => {
      const relay = new Relay();
      try {
        await relay.start(version);
        for (const one of actions) await relay.act(one);
      } finally {
        await relay.close();
      }
    };
    const property = fc.asyncProperty(fc.array(action, { maxLength: 40 }), run);
    await fc.assert(property, { seed, numRuns: times(100, 5000) });
  });

  it("withdraws a request under the id that the other side knows", async () => {
    const relay = new Relay();
    await relay.start(version);
    const shape = { extra: "{}", order: [0, 1, 2, 3, 4], gap: " " };
    const ask = { method: "_x", id: '"seven"', value: "1", shape };
    await relay.act({ do: "ask", ...ask });
    await relay.act({ do: "ask back", ...ask });
    const cancel = (known = ""): string =>
      `{"params": {"n": 1.0, "requestId":${known}}, "method":"$/cancel_request","jsonrpc":"2.0"}`;
    void relay.client.send(cancel('"seven"'));
    expect(await relay.toAgent.next()).toBe(cancel(relay.open.agent[0]?.arrived));
    void relay.agent.send(cancel('"seven"'));
    expect(await relay.toClient.next()).toBe(cancel(relay.open.client[0]?.arrived));
    await relay.close();
  });
});
