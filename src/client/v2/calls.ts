import {
  type BackgroundWork,
  readEmptyResult,
  type RequestOptions,
} from "../../protocol/acp/index.ts";
import { CapabilityError } from "../errors.ts";
import type { SessionHost } from "../session/session-host.ts";

/** A tool call or terminal that the agent may let the client cancel. */
export interface Cancellable {
  readonly canCancel?: boolean | undefined;
}

/**
 * Asks an agent of v2 to end one tool call or terminal. Rejects with CapabilityError unless the agent
 * offers that for this very one, and otherwise like any call.
 */
export async function cancelOne(
  host: SessionHost,
  method: "tool_call/cancel" | "terminal/cancel",
  params: { readonly sessionId: string } & Readonly<Record<string, string>>,
  known: Cancellable | undefined,
  options: RequestOptions,
): Promise<void> {
  if (known?.canCancel !== true) throw new CapabilityError(method, "capabilities.cancel");
  const accept = (result: unknown): void => void readEmptyResult(method, result);
  await host.call(method, params, accept, options);
}

/** Whether one of the ids names work that goes on in the background. Pure. */
export function isInBackground(
  background: readonly BackgroundWork[] | undefined,
  ids: readonly unknown[],
): boolean {
  return (background ?? []).some((work) => {
    if (work.type === "unknown") return false;
    return ids.includes(work.type === "terminal" ? work.terminalId : work.toolCallId);
  });
}
