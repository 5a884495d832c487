export * from "../src/entries/wire.ts";
export * from "../src/transport/rpc/index.ts";
export { DroidClient } from "../src/entries/droid.ts";
export * from "../src/entries/dragoman.ts";
export { createHub, serveHub } from "../src/host/hub/index.ts";
export { hashToken } from "../src/transport/wire/index.ts";
export { serveInspector } from "../src/apps/inspector/index.ts";
export { SessionReader } from "../src/trace/index.ts";
