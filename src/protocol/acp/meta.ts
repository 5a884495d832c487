import { callSafely, isJsonObject } from "../../base/index.ts";
import type { CallOptions } from "../../transport/rpc/index.ts";

/** The content of `_meta`, which every object may have for data outside the protocol. */
export type Meta = Readonly<Record<string, unknown>>;

/** The `_meta` of the notification that carried an update. */
export interface UpdateCarrier {
  /** The `_meta` next to the update, if the agent sent one. */
  readonly notificationMeta?: Meta | undefined;
}

/** Every `_meta` that belongs to an update. */
export interface UpdateMeta extends UpdateCarrier {
  /** The update's own `_meta`, if the agent sent one. */
  readonly meta?: Meta | undefined;
}

/** How a call sends and receives `_meta`. */
export interface MetaOptions {
  /** Sent as the `_meta` of the request. */
  readonly meta?: Meta | undefined;
  /** Receives the `_meta` of the answer, if it has one, before the call resolves. */
  readonly onMeta?: ((meta: Meta) => void) | undefined;
}

/** The options that every call to the other side has. */
export interface RequestOptions extends CallOptions, MetaOptions {}

/** The `_meta` of an object as received; undefined if it has none or it is not an object. */
export function metaOf(value: unknown): Meta | undefined {
  if (!isJsonObject(value)) return undefined;
  const meta = value["_meta"];
  return isJsonObject(meta) ? meta : undefined;
}

/** The `_meta` field of an object to send, to be spread into it. Absent if there is nothing to send. */
export function metaField(meta: Meta | undefined): { _meta?: Record<string, unknown> } {
  return meta === undefined ? {} : { _meta: { ...meta } };
}

/** A reader of results that first passes on their `_meta`. */
export function reportingMeta<T>(
  accept: (result: unknown) => T,
  onMeta: ((meta: Meta) => void) | undefined,
): (result: unknown) => T {
  if (onMeta === undefined) return accept;
  return (result) => {
    const meta = metaOf(result);
    if (meta) callSafely(() => onMeta(meta));
    return accept(result);
  };
}
