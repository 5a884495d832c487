/** `dragoman/v2`: translate between version 1 of ACP and the draft of version 2, without a client. */
export * from "../v2/public.ts";
export type { JsonObject } from "../wire/index.ts";
