// A peer connected to the test, which sends and reads raw lines.
import { onTestFinished } from "vitest";
import type { Frame } from "../../support/messages.ts";
import type { Channel } from "../../../src/transport/wire/channel.ts";
import { memoryPair } from "../../../src/transport/wire/channels/memory.ts";
import { Peer } from "../../../src/transport/rpc/peer.ts";
import type { PeerOptions } from "../../../src/transport/rpc/peer.ts";

export interface Raw {
  readonly peer: Peer;
  readonly far: Channel;
  /** Sends lines to the peer: strings unchanged, anything else as JSON. */
  readonly send: (...lines: readonly unknown[]) => void;
  /** The frames that the peer has written. */
  readonly written: Frame[];
  /** Waits until the peer has written `count` frames in total. */
  readonly untilWritten: (count: number) => Promise<Frame[]>;
  /** Resolves when the peer has processed everything sent so far. */
  readonly settled: () => Promise<void>;
}

/** A connected peer, which is closed at the end of the test. */
export function connect(options: PeerOptions = {}): Raw {
  const [near, far] = memoryPair();
  const written: Frame[] = [];
  let wake = (): void => {};
  far.open((line) => {
    written.push(JSON.parse(line) as Frame);
    wake();
  });
  const peer = new Peer(near, options);
  onTestFinished(() => void peer.close());
  return {
    peer,
    far,
    send: (...lines) => {
      for (const line of lines) {
        void far.send(typeof line === "string" ? line : JSON.stringify(line));
      }
    },
    written,
    untilWritten: async (count) => {
      while (written.length < count) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return written;
    },
    settled: async () => {
      // A memory channel delivers in the next turn. These turns cover a round trip and the handlers.
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    },
  };
}
