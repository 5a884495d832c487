import type { MsgHdrs } from "@nats-io/transport-node";
import { randomId } from "../../../base/index.ts";
import { FleetError } from "../errors.ts";
import { ATTEMPT_MS, type AttemptResult, type NatsContext, retried } from "./context.ts";

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
