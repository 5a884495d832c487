import type { MsgHdrs } from "@nats-io/transport-node";
import type { FleetValues } from "../engine.ts";
import type { NatsContext } from "./context.ts";

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
