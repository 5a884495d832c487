import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { unlessAborted } from "../../base/index.ts";
import type { WireItem } from "./reply.ts";
import type { CallEnd, ScriptedCall } from "./request.ts";
import type { HttpErrorPart } from "./script-parts.ts";

export interface Delivery {
  readonly items: readonly WireItem[];
  /** The body of a reply that is not streamed. `items` then holds only waits, gates and cuts. */
  readonly whole: unknown;
  readonly error: HttpErrorPart | undefined;
}

/** Sends a reply at the script's pace, until it is complete or cut, or the agent has disconnected. */
export async function deliver(
  delivery: Delivery,
  call: ScriptedCall,
  response: ServerResponse,
  disconnected: AbortSignal,
): Promise<CallEnd> {
  try {
    for (const item of delivery.items) {
      disconnected.throwIfAborted();
      switch (item.kind) {
        case "send":
          if (delivery.error === undefined) await send(item.data, response);
          break;
        case "wait":
          await delay(item.ms, undefined, { signal: disconnected });
          break;
        case "gate":
          item.gate.arrived.resolve(call);
          await unlessAborted(item.gate.released.promise, disconnected);
          break;
        case "cut":
          response.destroy();
          return "cut";
      }
    }
    disconnected.throwIfAborted();
    if (delivery.error !== undefined) {
      response.writeHead(delivery.error.status, {
        "content-type": "application/json",
        ...delivery.error.headers,
      });
      response.end(JSON.stringify(delivery.error.body));
    } else if (delivery.whole === undefined) {
      response.end();
    } else {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(delivery.whole));
    }
    return "sent";
  } catch (error) {
    if (!disconnected.aborted && !response.destroyed) throw error;
    response.destroy();
    return "aborted";
  }
}

async function send(data: string, response: ServerResponse): Promise<void> {
  if (!response.headersSent) {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  }
  // Wait until the system has the data: a cut right after must not lose data that the script sent before it.
  await new Promise<void>((resolve, reject) => {
    response.write(data, (error) => (error ? reject(error) : resolve()));
  });
}

/** Applies `brokenStream(n)`: sends everything up to the n-th content delta and then breaks the connection. */
export function cutAfterChunks(items: readonly WireItem[], chunks: number): WireItem[] {
  const kept: WireItem[] = [];
  let seen = 0;
  for (const item of items) {
    const isContent = item.kind === "send" && item.content;
    if (isContent && seen === chunks) break;
    if (isContent) seen += 1;
    kept.push(item);
  }
  kept.push({ kind: "cut" });
  return kept;
}
