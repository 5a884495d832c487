import { asObject, isJsonObject, stringField } from "../../../../base/index.ts";

export interface SentImage {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** The images that a request to a model holds, in the forms of all dialects. Pure. */
export function imagesIn(value: unknown): readonly SentImage[] {
  if (typeof value === "string") return imageOfUrl(value);
  if (Array.isArray(value)) return value.flatMap(imagesIn);
  if (!isJsonObject(value)) return [];
  const mediaType = stringField(value, "media_type") ?? stringField(value, "mimeType");
  const data = stringField(value, "data");
  if (mediaType?.startsWith("image/") === true && data !== undefined)
    return [{ mediaType, bytes: Buffer.from(data, "base64") }];
  return Object.values(asObject(value)).flatMap(imagesIn);
}

function imageOfUrl(url: string): readonly SentImage[] {
  const [, mediaType = "", data = ""] = /^data:(image\/[\w.+-]+);base64,(.*)$/s.exec(url) ?? [];
  return mediaType === "" ? [] : [{ mediaType, bytes: Buffer.from(data, "base64") }];
}

/** The first bytes of the formats that models take, in hex. */
const SIGNATURES: Readonly<Record<string, RegExp>> = {
  "image/png": /^89504e470d0a1a0a/,
  "image/jpeg": /^ffd8ff/,
  "image/gif": /^47494638/,
  "image/webp": /^52494646.{8}57454250/,
};

/** Whether the bytes of an image are of the type that it has. Pure. */
export function isRealImage({ mediaType, bytes }: SentImage): boolean {
  const start = Buffer.from(bytes.subarray(0, 12)).toString("hex");
  return SIGNATURES[mediaType]?.test(start) === true;
}

/** A PNG of one red pixel, in base64. */
export const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/** A WAV with a few silent samples, in base64. */
export const TONE = "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA==";
