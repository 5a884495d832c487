/** The methods of a hub that shares sessions. */
export const ATTACH_METHODS = {
  list: "_dragoman/session/list",
  attach: "_dragoman/session/attach",
  detach: "_dragoman/session/detach",
  /** A notification: a turn that another client started has ended. */
  turnEnded: "_dragoman/session/turn_ended",
} as const;

/**
 * The key of `_meta` with which a hub announces that it shares sessions. For a client that sends it in
 * `initialize`, no agent is started: it only attaches.
 */
export const ATTACH_META = "dragoman/attach";

/** The key of `_meta` with the position of an update in its session. */
export const SEQ_META = "dragoman/seq";

/** The key of `_meta` in the answer to `initialize` with the folder of sessions that name none. */
export const ROOT_META = "dragoman/root";
