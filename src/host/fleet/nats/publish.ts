import { createHash } from "node:crypto";
import type { MsgHdrs } from "@nats-io/transport-node";
import { randomId } from "../../../base/index.ts";
import { FleetError, missingValue } from "../errors.ts";
import { ATTEMPT_MS, type NatsContext, retried } from "./context.ts";

interface NatsMessage {
  readonly stream: string;
  readonly subject: string;
  readonly data: string | Uint8Array;
  readonly headers?: MsgHdrs;
  /** Stored at most once under this id, within the stream's window. Default: an id of its own. */
  readonly id?: string;
  /** The sequence of the last message of the subject; 0 if there is none. Default: not checked. */
  readonly after?: number | undefined;
}

interface Published {
  readonly sequence: number;
  readonly isDuplicate: boolean;
}

/** The last sequence of a subject is not the expected one. */
const WRONG_LAST_SEQUENCE: ReadonlySet<number> = new Set([10_071, 10_164]);
/** A limit of a stream that discards new messages is reached, or the servers are out of space. */
const FULL: ReadonlySet<number> = new Set([10_077, 10_023, 10_047]);

const ID_HEADER = "Nats-Msg-Id";

/**
 * Stores a message at most once, and tries again while the servers do not answer. All attempts have one
 * id, so a message whose acknowledgement was lost is not stored twice. Resolves with undefined if another
 * message came first. Rejects with FleetError `unavailable` or `try_later`.
 */
export function publishOnce(
  context: NatsContext,
  message: NatsMessage,
): Promise<Published | undefined> {
  const id = message.id ?? randomId();
  return retried(context, `write to ${message.stream}`, () => attempt(context, message, id));
}

async function attempt(
  context: NatsContext,
  message: NatsMessage,
  id: string,
): Promise<Published | undefined> {
  const { subject, data, headers, after } = message;
  const { JetStreamApiError } = context.packages.jetstream;
  try {
    const { seq: sequence, duplicate: isDuplicate } = await context.streams.publish(subject, data, {
      msgID: id,
      timeout: ATTEMPT_MS,
      ...(headers ? { headers } : {}),
      ...(after === undefined ? {} : { expect: { lastSubjectSequence: after } }),
    });
    if (sequence > 0) return { sequence, isDuplicate };
  } catch (error) {
    if (!(error instanceof JetStreamApiError)) throw error;
    if (FULL.has(error.code)) {
      const problem = `the stream ${message.stream} is full: try again later`;
      throw new FleetError("try_later", problem, { cause: error });
    }
    if (!WRONG_LAST_SEQUENCE.has(error.code)) throw error;
    return storedEarlier(context, message, id);
  }
  // nats-server 2.9.10 acknowledges a repeated message with the sequence 0 while the first one is
  // proposed and not yet stored. If that leader dies now, the message is lost.
  const earlier = await storedEarlier(context, message, id);
  if (earlier) return earlier;
  throw new Error("the message was acknowledged and is not stored");
}

/** An attempt whose acknowledgement was lost, if it is the last message of the subject. */
async function storedEarlier(
  { manager }: NatsContext,
  { stream, subject }: NatsMessage,
  id: string,
): Promise<Published | undefined> {
  const last = await manager.streams.getMessage(stream, { last_by_subj: subject });
  if (last?.header?.get(ID_HEADER) !== id) return undefined;
  return { sequence: last.seq, isDuplicate: true };
}

/** Larger texts are stored by themselves, and the message has a reference: servers accept 1 MB. */
const MAX_TEXT_BYTES = 512 * 1024;

const REFERENCE_HEADER = "Dr-Ref";
const FENCE_HEADER = "Dr-Fence";

/** Makes a message of a text. A large text is stored first. Rejects with FleetError. */
export async function packText(
  context: NatsContext,
  text: string,
  fence?: number,
): Promise<{ readonly data: string; readonly headers: MsgHdrs }> {
  const headers = context.packages.transport.headers();
  if (fence !== undefined) headers.set(FENCE_HEADER, String(fence));
  if (text.length * 3 <= MAX_TEXT_BYTES || Buffer.byteLength(text) <= MAX_TEXT_BYTES) {
    return { data: text, headers };
  }
  headers.set(REFERENCE_HEADER, await putValue(context, text));
  return { data: "", headers };
}

/** A message as it was received, or as it is stored. */
interface StoredText {
  readonly headers?: MsgHdrs | undefined;
  readonly header?: MsgHdrs | undefined;
  string(): string;
}

export async function unpackText(context: NatsContext, message: StoredText): Promise<string> {
  const reference = (message.headers ?? message.header)?.get(REFERENCE_HEADER) ?? "";
  return reference === "" ? message.string() : getValue(context, reference);
}

/** The fence of a stored message; 0 if it has none. */
export function fenceOf({ header }: StoredText): number {
  return Number(header?.get(FENCE_HEADER) ?? 0);
}

const PART_BYTES = 256 * 1024;

/** Stores a large value in parts. The reference has their number and a hash, to notice a loss. */
export async function putValue(context: NatsContext, text: string): Promise<string> {
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

export async function getValue(context: NatsContext, reference: string): Promise<string> {
  const { manager, names } = context;
  const [id = "", count = "", hash] = reference.split(":");
  const parts: Uint8Array[] = [];
  for (let part = 0; part < Number(count); part++) {
    const query = { last_by_subj: names.valueSubject(id, part) };
    const stored = await retried(context, `read from ${names.values}`, () =>
      manager.streams.getMessage(names.values, query),
    );
    if (!stored) throw missingValue(reference);
    parts.push(stored.data);
  }
  const bytes = Buffer.concat(parts);
  if (hashOf(bytes) !== hash) throw missingValue(reference);
  return bytes.toString("utf8");
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("base64url");
}
