import { createHmac, timingSafeEqual } from "node:crypto";
import {
  booleanField,
  isJsonObject,
  isStringList,
  type JsonObject,
  numberField,
  objectField,
  stringField,
} from "../../../base/index.ts";

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

/** The first frame of a client. */
export interface ClientHello {
  readonly protocol: number;
  readonly version: string;
  readonly token: string;
  /** Makes the proof of the hub different each time. */
  readonly nonce: string;
}

/** The first frame of a hub. */
export interface HubHello {
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
export function isSame(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((text) =>
    createHmac("sha256", "dragoman").update(text).digest(),
  );
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}

/** Reads the first frame of a client; undefined if it is not one. Pure. */
export function readClientHello(frame: JsonObject): ClientHello | undefined {
  const hello = objectField(frame, "hello");
  if (hello === undefined) return undefined;
  const protocol = numberField(hello, "protocol");
  const [version, token, nonce] = textsOf(hello, ["version", "token", "nonce"]);
  if (protocol === undefined || version === undefined) return undefined;
  if (token === undefined || nonce === undefined) return undefined;
  return { protocol, version, token, nonce };
}

/** Reads the first frame of a hub; undefined if it is not one. Pure. */
export function readHubHello(frame: JsonObject): HubHello | undefined {
  const hello = objectField(frame, "hello");
  if (hello === undefined) return undefined;
  const protocol = numberField(hello, "protocol");
  const [version, proof] = textsOf(hello, ["version", "proof"]);
  if (protocol === undefined || version === undefined || proof === undefined) return undefined;
  return { protocol, version, proof };
}

/** Reads what a client wants; undefined if the frame is not a request. Pure. */
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
  const [name, key, command, cwd] = textsOf(value, ["name", "key", "command", "cwd"]);
  const { args, env, secrets } = value;
  if (name === undefined || key === undefined || command === undefined || cwd === undefined)
    return undefined;
  if (!isStringList(args) || !isStringList(secrets) || !isTextMap(env)) return undefined;
  return { name, key, command, args, cwd, env, secrets };
}

function textsOf(frame: JsonObject, names: readonly string[]): readonly (string | undefined)[] {
  return names.map((name) => stringField(frame, name));
}

function isTextMap(value: unknown): value is Record<string, string> {
  return isJsonObject(value) && Object.values(value).every((item) => typeof item === "string");
}
