import type * as AiSdk from "ai";

const loaded = await import("ai").catch(() => undefined);

/** Whether the AI SDK loads here. Version 7 supports Node 22 and newer; some older ones load it too. */
export const aiLoads = loaded !== undefined;

/** The AI SDK. Use it only if it loads. */
export const ai = loaded as typeof AiSdk;
