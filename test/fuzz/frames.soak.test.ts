// Sends broken frames through all layers. None may cause a crash, a hang or an unhandled rejection, and
// the next valid frame must still work.
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import {
  applyUpdate,
  canonicalDialect,
  createSessionState,
  crowDialect,
  detectingRewriter,
  paramFaults,
  ProtocolViolation,
  readElicitationResult,
  readInitializeResult,
  readListResult,
  readNewSessionResult,
  readPermissionResult,
  readPromptResult,
  readTerminalOutputResult,
  toUpdate,
} from "../../src/protocol/acp/index.ts";
import { Peer } from "../../src/transport/rpc/peer.ts";
import { redactLine } from "../../src/base/redact/redact.ts";
import { StreamChannel } from "../../src/transport/wire/channels/stream.ts";
import { tapped } from "../../src/transport/wire/recording/tap.ts";
import { randomFrom, seed, times } from "../support/soak.ts";
import { corpus } from "./corpus.ts";
import { mutated, type Random } from "./mutate.ts";
import type { Rewriter } from "../../src/transport/rpc/rewriter.ts";

const TOTAL = times(2100, 100_000);
const BATCH = 50;

const readers: readonly ((result: unknown) => unknown)[] = [
  readInitializeResult,
  (result) => readNewSessionResult("session/new", result),
  readListResult,
  readPromptResult,
  readPermissionResult,
  readTerminalOutputResult,
  readElicitationResult,
];

interface User {
  readonly findings: unknown[];
  readonly take: (method: string, params: unknown) => void;
  readonly read: (result: unknown) => void;
}

/** Processes messages as a user of a peer does. Every error except a ProtocolViolation is a finding. */
function user(): User {
  const findings: unknown[] = [];
  let state = createSessionState();
  return {
    findings,
    take: (method, params) => {
      try {
        paramFaults(method, params);
        const raw = (params as { update?: unknown } | null | undefined)?.update;
        const update = toUpdate(raw);
        if (typeof update.text !== "string") throw new TypeError("an update has no text");
        applyUpdate(state, update);
        if (state.toolCalls.size > 1000) state = createSessionState();
      } catch (error) {
        findings.push({ method, error });
      }
    },
    read: (result) => {
      for (const reader of readers) {
        try {
          reader(result);
        } catch (error) {
          if (!(error instanceof ProtocolViolation)) findings.push({ reader: reader.name, error });
        }
      }
    },
  };
}

/** The bytes of a batch, in chunks of random size. */
function* chunksOf(random: Random, bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length;) {
    const size = 1 + Math.floor(random() ** 3 * 70_000);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

describe.each([
  { side: "client", malformed: "ignore", rewriter: (): Rewriter => canonicalDialect() },
  { side: "agent", malformed: "answer", rewriter: (): Rewriter => canonicalDialect() },
  { side: "client in crow", malformed: "ignore", rewriter: (): Rewriter => crowDialect("client") },
  { side: "agent in crow", malformed: "answer", rewriter: (): Rewriter => crowDialect("agent") },
  {
    side: "client that detects",
    malformed: "ignore",
    rewriter: (): Rewriter => detectingRewriter("client"),
  },
  {
    side: "agent that detects",
    malformed: "answer",
    rewriter: (): Rewriter => detectingRewriter("agent"),
  },
  { side: "bare peer", malformed: "answer", rewriter: () => undefined },
] as const)("a $side", ({ malformed, rewriter }) => {
  it(`survives its share of ${TOTAL} broken frames`, async () => {
    const random = randomFrom(seed);
    const input = new PassThrough();
    const output = new PassThrough();
    const { findings, take, read } = user();
    const loggedErrors: unknown[] = [];
    const made = rewriter();
    const channel = tapped(new StreamChannel(input, output), ({ line }) => {
      try {
        redactLine(line);
      } catch (error) {
        findings.push({ line: line.slice(0, 300), error });
      }
    });
    const peer = new Peer(channel, {
      malformed,
      ...(made ? { rewriter: made } : {}),
      logger: { error: (message, fields) => loggedErrors.push({ message, fields }) },
      handlers: {
        notification: (method, params) => take(method, params),
        request: (method, params) => {
          take(method, params);
          return method === "_good" ? { echo: params } : null;
        },
      },
    });
    const answers = linesOf(output);

    for (let sent = 0, batch = 0; sent < TOTAL / 7; sent += BATCH, batch++) {
      const broken = Array.from({ length: BATCH }, () =>
        Buffer.concat([mutated(random, corpus), Buffer.from(random() < 0.2 ? "\r\n" : "\n")]),
      );
      const good = { jsonrpc: "2.0", id: `good-${batch}`, method: "_good", params: { batch } };
      const bytes = Buffer.concat([...broken, Buffer.from(`\n${JSON.stringify(good)}\n`)]);
      for (const chunk of chunksOf(random, bytes)) input.write(chunk);
      const answer = await answers.find((line) => line.includes(`"good-${batch}"`));
      expect(JSON.parse(answer)).toMatchObject({ id: good.id, result: { echo: { batch } } });

      // The other direction: our own calls still get their responses.
      const call = peer.call("_mine", { batch });
      const asked = JSON.parse(await answers.find((line) => line.includes('"_mine"'))) as {
        id: number;
      };
      input.write(`{"jsonrpc":"2.0","id":${asked.id},"result":{"batch":${batch}}}\n`);
      expect(await call).toEqual({ batch });
    }
    for (const frame of corpus) if ("result" in frame) read(frame.result);
    for (let count = 0; count < TOTAL / 20; count++) read(brokenResult(random));
    expect({ findings, loggedErrors }).toEqual({ findings: [], loggedErrors: [] });
    expect((await peer.close()).kind).toBe("closed");
  });
});

function brokenResult(random: Random): unknown {
  try {
    const value = JSON.parse(mutated(random, corpus).toString()) as { result?: unknown } | null;
    return value?.result ?? value;
  } catch {
    return undefined;
  }
}

/** Reads the lines of a stream for one consumer, which looks for one line after the other. */
function linesOf(stream: PassThrough): {
  find(wanted: (line: string) => boolean): Promise<string>;
} {
  const waiting: string[] = [];
  let rest = "";
  let wake = (): void => {};
  stream.setEncoding("utf8");
  stream.on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    waiting.push(...lines);
    wake();
  });
  return {
    find: async (wanted) => {
      for (;;) {
        for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) {
          if (wanted(line)) return line;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

it("broken frames do not pollute a prototype", () => {
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});
