import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { WireItem } from "./reply.ts";
import type { CallEnd, ModelCall } from "./request.ts";
import type { HttpErrorPart } from "./script.ts";

export interface Delivery {
  readonly items: readonly WireItem[];
  /** The body of a reply that is not streamed; `items` then holds only waits, gates and cuts. */
  readonly whole: unknown;
  readonly error: HttpErrorPart | undefined;
}

/** Puts a reply on the connection, at the script's pace, until it is sent, cut, or the agent has gone. */
export async function deliver(
  delivery: Delivery,
  call: ModelCall,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<CallEnd> {
  try {
    for (const item of delivery.items) {
      gone.throwIfAborted();
      switch (item.kind) {
        case "send":
          if (delivery.error === undefined) await send(item.data, response);
          break;
        case "wait":
          await delay(item.ms, undefined, { signal: gone });
          break;
        case "gate":
          item.gate.arrive(call);
          await unlessGone(item.gate.released, gone);
          break;
        case "cut":
          response.destroy();
          return "cut";
      }
    }
    gone.throwIfAborted();
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
    if (!gone.aborted && !response.destroyed) throw error;
    response.destroy();
    return "aborted";
  }
}

async function send(data: string, response: ServerResponse): Promise<void> {
  if (!response.headersSent) {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  }
  // Waited for until the system has it: a cut right after must not take back what the script says was sent.
  await new Promise<void>((resolve, reject) => {
    response.write(data, (error) => (error ? reject(error) : resolve()));
  });
}

async function unlessGone(promise: Promise<void>, gone: AbortSignal): Promise<void> {
  gone.throwIfAborted();
  let leave: () => void = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  gone.addEventListener("abort", leave, { once: true });
  await Promise.race([promise, left]);
  gone.removeEventListener("abort", leave);
  gone.throwIfAborted();
}
