export * from "../src/entries/wire.ts";
export * from "../src/rpc/index.ts";
export { DroidClient } from "../src/entries/droid.ts";
export * from "../src/entries/dragoman.ts";
