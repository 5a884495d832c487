import { createHash } from "node:crypto";
import { quietly, randomId } from "../../../base/index.ts";
import type { FleetValues } from "../engine.ts";
import { missingValue } from "../values.ts";
import { type NatsContext, retried } from "./context.ts";
import { publishOnce } from "./publish.ts";

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
