import { type Meta, metaField, type SessionUpdate } from "../../acp/index.ts";
import type { SentUpdate } from "../v2/updates.ts";

/** The `_meta` to send with an update. */
export interface SendOptions {
  /** The update's own `_meta`. */
  readonly meta?: Meta | undefined;
  /** The `_meta` next to the update, in the notification that carries it. */
  readonly notificationMeta?: Meta | undefined;
}

/** Sends an update in one session, with the `_meta` of its notification. */
export type Deliver = (update: SentUpdate, notificationMeta?: Meta) => Promise<void>;

/** An update with the `_meta` of the options. Pure. */
export function withMeta(update: SessionUpdate, { meta }: SendOptions): SessionUpdate {
  return meta === undefined ? update : { ...update, ...metaField(meta) };
}
