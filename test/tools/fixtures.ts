import { defineTool, type Tool } from "../../src/entries/tools.ts";
import { deferred } from "../../src/base/index.ts";

/** A tool that greets, with progress. */
export const greet = defineTool({
  name: "greet",
  title: "Greet",
  description: "Greets someone",
  input: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  hints: { readOnlyHint: true },
  run: ({ name }, { progress }) => {
    progress(1, 1, "greeting");
    return { structuredContent: { greeting: `hello ${name}` } };
  },
});

export const fail = defineTool({
  name: "fail",
  description: "Fails",
  input: { type: "object" },
  run: () => Promise.reject(new Error("out of stock")),
});

/** A tool that never ends, and what happens to its calls. */
export interface WaitingTool {
  readonly tool: Tool;
  /** Resolves with the signal of the first call. */
  readonly started: Promise<AbortSignal>;
  /** Resolves with the reason when the first call is aborted. */
  readonly aborted: Promise<Error>;
}

export function waitingTool(): WaitingTool {
  const started = deferred<AbortSignal>();
  const aborted = deferred<Error>();
  const tool = defineTool({
    name: "wait",
    description: "Waits forever",
    input: { type: "object" },
    run: (_args, { signal }) => {
      signal.addEventListener("abort", () => aborted.resolve(signal.reason as Error));
      started.resolve(signal);
      return new Promise<string>(() => {});
    },
  });
  return { tool, started: started.promise, aborted: aborted.promise };
}
