export * from "../src/wire/index.ts";
export * from "../src/rpc/index.ts";
export { DroidClient } from "../src/droid/index.ts";
export * from "../src/client/index.ts";
