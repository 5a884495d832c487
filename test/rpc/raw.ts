// A peer whose other side is the test itself, line by line.
import type { Channel } from "../../src/wire/channel.ts";
import { memoryPair } from "../../src/wire/channels/memory.ts";
import { Peer, type PeerOptions } from "../../src/rpc/peer.ts";

export type Frame = Record<string, unknown>;

export interface Raw {
  readonly peer: Peer;
  readonly far: Channel;
  /** Sends lines to the peer: text as it is, anything else as JSON. */
  readonly say: (...lines: readonly unknown[]) => void;
  /** What the peer has written. */
  readonly heard: Frame[];
  /** Waits until the peer has written so many frames. */
  readonly until: (count: number) => Promise<Frame[]>;
  /** Resolves when the peer has taken in everything that was said so far. */
  readonly settled: () => Promise<void>;
}

export function joined(options: PeerOptions = {}): Raw {
  const [near, far] = memoryPair();
  const heard: Frame[] = [];
  let wake = (): void => {};
  far.open((line) => {
    heard.push(JSON.parse(line) as Frame);
    wake();
  });
  const peer = new Peer(near, options);
  return {
    peer,
    far,
    say: (...lines) => {
      for (const line of lines) {
        void far.send(typeof line === "string" ? line : JSON.stringify(line));
      }
    },
    heard,
    until: async (count) => {
      while (heard.length < count) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return heard;
    },
    settled: async () => {
      // There and back again, and what the handlers do meanwhile.
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    },
  };
}

export const request = (id: unknown, method: string, params?: unknown): Frame => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});
export const notification = (method: string, params?: unknown): Frame => ({
  jsonrpc: "2.0",
  method,
  params,
});
export const result = (id: unknown, value: unknown): Frame => ({
  jsonrpc: "2.0",
  id,
  result: value,
});
export const failure = (id: unknown, code: number, message: string, data?: unknown): Frame => ({
  jsonrpc: "2.0",
  id,
  error: { code, message, data },
});
