/** `dragoman/wire`: channels, processes and recordings, without knowing what the frames mean. */
export * from "../base/public.ts";
export * from "../transport/wire/public.ts";
