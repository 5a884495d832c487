import type { MsgHdrs } from "@nats-io/transport-node";
import { randomId, quietly } from "../../../base/index.ts";
import { FleetError, missingValue } from "../errors.ts";
import { ATTEMPT_MS, type AttemptResult, type NatsContext, retried } from "./context.ts";
import type { FleetValues } from "../engine.ts";
import { createHash } from "node:crypto";

/** A message for a stream. */
export interface NatsMessage {
  readonly stream: string;
  readonly subject: string;
  readonly data: string | Uint8Array;
  readonly headers?: MsgHdrs | undefined;
  /** Stored at most once under this id, within the stream's window. Default: an id of its own. */
  readonly id?: string | undefined;
  /** The sequence of the last message of the subject; 0 if there is none. Default: not checked. */
  readonly after?: number | undefined;
}

/** The outcome of sending a message. */
export type Published =
  /** It is stored. */
  | { readonly kind: "stored"; readonly sequence: number; readonly isDuplicate: boolean }
  /** Another message came first. */
  | { readonly kind: "conflict" };

/** The last sequence of a subject is not the expected one. */
const WRONG_LAST_SEQUENCE: ReadonlySet<number> = new Set([10_071, 10_164]);
/** A limit of a stream that discards new messages is reached, or the servers are out of space. */
const FULL: ReadonlySet<number> = new Set([10_077, 10_023, 10_047]);

const ID_HEADER = "Nats-Msg-Id";

/**
 * Stores a message at most once, and tries again while the servers do not answer. All attempts have one
 * id, so a message whose acknowledgement was lost is not stored twice. Rejects with FleetError
 * `unavailable` or `try_later`.
 */
export function publishOnce(context: NatsContext, message: NatsMessage): Promise<Published> {
  const id = message.id ?? randomId();
  return retried(context, `write to ${message.stream}`, () => attempt(context, message, id));
}

async function attempt(
  context: NatsContext,
  message: NatsMessage,
  id: string,
): Promise<AttemptResult<Published>> {
  const { subject, data, headers, after } = message;
  const { JetStreamApiError } = context.packages.jetstream;
  try {
    const ack = await context.streams.publish(subject, data, {
      msgID: id,
      timeout: ATTEMPT_MS,
      ...(headers ? { headers } : {}),
      ...(after === undefined ? {} : { expect: { lastSubjectSequence: after } }),
    });
    const { seq: sequence, duplicate: isDuplicate } = ack;
    if (sequence > 0) return { value: { kind: "stored", sequence, isDuplicate } };
    // nats-server 2.9.10 acknowledges a repeated message with the sequence 0 while the first one is
    // proposed and not yet stored. If that leader dies now, the message is lost.
    return await storedEarlier(context, message, id);
  } catch (error) {
    if (!(error instanceof JetStreamApiError)) throw error;
    if (FULL.has(error.code)) {
      throw new FleetError("try_later", `the stream ${message.stream} is full: try again later`, {
        cause: error,
      });
    }
    if (!WRONG_LAST_SEQUENCE.has(error.code)) throw error;
    return (await storedEarlier(context, message, id)) ?? { value: { kind: "conflict" } };
  }
}

/** Whether an attempt whose acknowledgement was lost is the last message of the subject. */
async function storedEarlier(
  { manager }: NatsContext,
  { stream, subject }: NatsMessage,
  id: string,
): Promise<AttemptResult<Published>> {
  const last = await manager.streams.getMessage(stream, { last_by_subj: subject });
  if (last?.header?.get(ID_HEADER) !== id) return undefined;
  return { value: { kind: "stored", sequence: last.seq, isDuplicate: true } };
}

/** Larger texts are stored by themselves, and the message has a reference: servers accept 1 MB. */
const MAX_TEXT_BYTES = 512 * 1024;

const REFERENCE_HEADER = "Dr-Ref";
const FENCE_HEADER = "Dr-Fence";

/** A text as a message has it. */
export interface PackedText {
  readonly data: string;
  readonly headers: MsgHdrs;
}

/** Makes a message of a text. A large text is stored first. Rejects with FleetError. */
export async function packText(
  { packages }: NatsContext,
  values: FleetValues,
  text: string,
  fence?: number,
): Promise<PackedText> {
  const headers = packages.transport.headers();
  if (fence !== undefined) headers.set(FENCE_HEADER, String(fence));
  if (text.length * 3 <= MAX_TEXT_BYTES || Buffer.byteLength(text) <= MAX_TEXT_BYTES) {
    return { data: text, headers };
  }
  headers.set(REFERENCE_HEADER, await values.put(text));
  return { data: "", headers };
}

/** The text of a message. Rejects with FleetError. */
export async function unpackText(values: FleetValues, message: StoredText): Promise<string> {
  const reference = headersOf(message)?.get(REFERENCE_HEADER) ?? "";
  return reference === "" ? message.string() : values.get(reference);
}

/** The fence of a message; 0 if it has none. */
export function fenceOf(message: StoredText): number {
  return Number(headersOf(message)?.get(FENCE_HEADER) ?? 0);
}

/** A message as it was received, or as it is stored. */
interface StoredText {
  readonly headers?: MsgHdrs | undefined;
  readonly header?: MsgHdrs | undefined;
  string(): string;
}

function headersOf({ headers, header }: StoredText): MsgHdrs | undefined {
  return headers ?? header;
}

/** The size of a part. Servers accept messages of 1 MB. */
const PART_BYTES = 256 * 1024;

/**
 * Large values, each in parts of its own stream. A reference has the number of parts and the hash of the
 * whole, so a value that lost a part is noticed.
 */
export function natsValues(context: NatsContext): FleetValues {
  return {
    put: (text) => quietly(() => put(context, text)),
    get: (reference) => quietly(() => get(context, reference)),
  };
}

async function put(context: NatsContext, text: string): Promise<string> {
  const { names } = context;
  const bytes = Buffer.from(text, "utf8");
  const id = randomId();
  const count = Math.ceil(bytes.length / PART_BYTES);
  for (let part = 0; part < count; part++) {
    const data = bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES);
    const subject = names.valueSubject(id, part);
    await publishOnce(context, { stream: names.values, subject, data, after: 0 });
  }
  return `${id}:${count}:${hashOf(bytes)}`;
}

async function get(context: NatsContext, reference: string): Promise<string> {
  const [id = "", count = "", hash] = reference.split(":");
  const parts: Uint8Array[] = [];
  for (let part = 0; part < Number(count); part++) {
    const subject = context.names.valueSubject(id, part);
    parts.push(await readPart(context, subject, reference));
  }
  const bytes = Buffer.concat(parts);
  if (hashOf(bytes) !== hash) throw missingValue(reference);
  return bytes.toString("utf8");
}

function readPart(context: NatsContext, subject: string, reference: string): Promise<Uint8Array> {
  const { manager, names } = context;
  return retried(context, `read from ${names.values}`, async () => {
    const stored = await manager.streams.getMessage(names.values, { last_by_subj: subject });
    if (!stored) throw missingValue(reference);
    return { value: stored.data };
  });
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("base64url");
}
