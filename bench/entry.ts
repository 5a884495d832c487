export * from "../src/wire/index.ts";
export * from "../src/rpc/index.ts";
