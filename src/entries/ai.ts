/** `dragoman/ai`: an agent as a language model of the AI SDK. */
export type * from "../tools/public-server.ts";
export * from "../client/ai/index.ts";
