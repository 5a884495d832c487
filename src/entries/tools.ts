/** `dragoman/tools`: tools in this process that agents can call. */
export * from "../tools/public.ts";
export type * from "../schema/public-types.ts";
export type { JsonObject } from "../wire/index.ts";
