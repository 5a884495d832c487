/** `dragoman/wire`: channels, processes and recordings, without knowing what the frames mean. */
export * from "../wire/public.ts";
