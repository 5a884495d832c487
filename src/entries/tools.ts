/** `dragoman/tools`: tools in this process that agents can call. */
export * from "../tools/public.ts";
export type * from "../protocol/schema/public-types.ts";
export type { JsonObject } from "../base/index.ts";
