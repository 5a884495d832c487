import { createHmac, timingSafeEqual } from "node:crypto";
import {
  isStringMap,
  asObject,
  booleanField,
  complete,
  isJsonObject,
  isStringList,
  type JsonObject,
  numberField,
  stringField,
  parseJsonObject,
} from "../../../base/index.ts";
import type { Channel, CloseReason } from "../../../transport/wire/index.ts";

/**
 * The version of the frames between the command line and a hub. `hello` and `stop` never change, so that
 * any version can ask any other to end.
 */
export const HUB_PROTOCOL = 1;

/** Everything that a hub needs to start a warm agent, from the caller. */
export interface WarmAgent {
  readonly name: string;
  /** Two callers share an agent if this is equal. */
  readonly key: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment of the agent. */
  readonly env: Readonly<Record<string, string>>;
  /** Values that must not appear in a log. */
  readonly secrets: readonly string[];
}

/** The request of a client, after `hello`. */
export type HubRequest =
  /** The rest of the connection is ACP with this agent. */
  | {
      readonly want: "agent";
      readonly agent: WarmAgent;
      /** How long the agent stays after its last client left, in milliseconds. */
      readonly warmMs: number;
      /** Whether an agent that runs already must not be used, such as after a login. */
      readonly fresh: boolean;
    }
  /** The rest of the connection is ACP, for sessions that are open already. */
  | { readonly want: "attach" }
  | { readonly want: "status" }
  /** Ends the hub. Running turns may go on for this many milliseconds. */
  | { readonly want: "stop"; readonly waitMs: number };

export interface ClientHello {
  readonly protocol: number;
  readonly version: string;
  readonly token: string;
  /** Makes the proof of the hub different each time. */
  readonly nonce: string;
}

interface HubHello {
  readonly protocol: number;
  readonly version: string;
  /** Shows that the hub knows the token too: a named pipe could be anyone's. */
  readonly proof: string;
}

/** Pure: shows that its author knows the token. */
export function proofOf(token: string, nonce: string): string {
  return createHmac("sha256", token).update(`hub:${nonce}`).digest("hex");
}

/** Compares two secrets in constant time. Pure. */
export function isSameSecret(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((text) =>
    createHmac("sha256", "dragoman").update(text).digest(),
  );
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}

export function readClientHello(frame: JsonObject): ClientHello | undefined {
  const hello = asObject(frame["hello"]);
  return complete({
    ...versionsOf(hello),
    token: stringField(hello, "token"),
    nonce: stringField(hello, "nonce"),
  });
}

export function readHubHello(frame: JsonObject): HubHello | undefined {
  const hello = asObject(frame["hello"]);
  return complete({ ...versionsOf(hello), proof: stringField(hello, "proof") });
}

function versionsOf(hello: JsonObject) {
  return { protocol: numberField(hello, "protocol"), version: stringField(hello, "version") };
}

export function readHubRequest(frame: JsonObject): HubRequest | undefined {
  switch (frame["want"]) {
    case "attach":
    case "status":
      return { want: frame["want"] };
    case "stop":
      return { want: "stop", waitMs: Math.max(0, numberField(frame, "waitMs") ?? 0) };
    case "agent": {
      const agent = readWarmAgent(frame["agent"]);
      const warmMs = numberField(frame, "warmMs");
      if (agent === undefined || warmMs === undefined || warmMs <= 0) return undefined;
      return { want: "agent", agent, warmMs, fresh: booleanField(frame, "fresh") ?? false };
    }
    default:
      return undefined;
  }
}

function readWarmAgent(value: unknown): WarmAgent | undefined {
  if (!isJsonObject(value)) return undefined;
  const { args, env, secrets } = value;
  if (!isStringList(args) || !isStringList(secrets) || !isStringMap(env)) return undefined;
  return complete({
    name: stringField(value, "name"),
    key: stringField(value, "key"),
    command: stringField(value, "command"),
    cwd: stringField(value, "cwd"),
    args,
    env,
    secrets,
  });
}

/** The other side closed the connection, or sent something else than a frame. */
export class HandshakeError extends Error {
  override readonly name = "HandshakeError";
}

/**
 * A channel whose first lines are read one by one, before its protocol begins. After that it is a
 * channel like any other: `open` gets every line that was not read.
 */
export class HandshakeChannel implements Channel {
  readonly closed: Promise<CloseReason>;
  readonly #channel: Channel;
  readonly #lines: string[] = [];
  #receive: ((line: string) => void) | undefined;
  #wake: () => void = () => {};
  #isClosed = false;

  /** `explained` turns the reason why the connection closed into the one that `closed` resolves with. */
  constructor(channel: Channel, explained: (reason: CloseReason) => CloseReason = (same) => same) {
    this.#channel = channel;
    this.closed = channel.closed.then((reason) => {
      this.#isClosed = true;
      this.#wake();
      return explained(reason);
    });
    channel.open((line) => {
      if (this.#receive) return this.#receive(line);
      // Nothing more is read until someone asks for this line.
      channel.pause();
      this.#lines.push(line);
      this.#wake();
    });
  }

  async frame(): Promise<JsonObject> {
    while (this.#lines.length === 0) {
      if (this.#isClosed) throw new HandshakeError("the connection was closed");
      const arrived = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#channel.resume();
      await arrived;
    }
    const frame = parseJsonObject(this.#lines.shift() ?? "");
    if (frame === undefined) throw new HandshakeError("the other side sent an invalid frame");
    return frame;
  }

  open(receive: (line: string) => void): void {
    // Not in the same tick: the caller may be in the middle of its own work.
    queueMicrotask(() => {
      for (const line of this.#lines.splice(0)) receive(line);
      this.#receive = receive;
      this.#channel.resume();
    });
  }

  send(line: string): Promise<void> {
    return this.#channel.send(line);
  }

  pause(): void {
    this.#channel.pause();
  }

  resume(): void {
    this.#channel.resume();
  }

  async close(): Promise<CloseReason> {
    await this.#channel.close();
    return this.closed;
  }
}

/** The hub answered, and does not do what it was asked for. */
export class HubRefusedError extends Error {
  override readonly name = "HubRefusedError";
}

/** The connection to a hub broke. Whether a prompt that was sent has run is not known. */
export class HubLostError extends Error {
  override readonly name = "HubLostError";

  constructor() {
    super("the connection to the hub was lost");
  }
}
