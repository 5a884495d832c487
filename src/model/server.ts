import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import { harmlessAnswer, offersNoTools } from "./auxiliary.ts";
import {
  type Deferred,
  deferred,
  quiet,
  unlessAborted,
  type JsonObject,
  asObject,
} from "../wire/index.ts";
import { parseLoosely } from "./json.ts";
import { cutAfterChunks, isControl, planReply, type Reply, type WireItem } from "./reply.ts";
import { parseBody, type CallEnd, type ScriptedCall, type ModelRequest } from "./request.ts";
import { dialects, routeOf, type Route } from "./route.ts";
import { text, type ScriptEntry, type HttpErrorPart } from "./script.ts";
import { setTimeout as delay } from "node:timers/promises";

export interface ModelServerOptions {
  /** Answers main calls after the last step. Without it, `verify()` reports such a call. */
  readonly fallback?: ScriptEntry;
  /** Whether a call does not belong to a turn. */
  readonly isAuxiliary?: (request: ModelRequest) => boolean;
  readonly auxiliary?: ScriptEntry;
}

interface OtherRequest {
  readonly method: string;
  readonly path: string;
}

/** A model server that plays a script of answers from the test. */
export class ModelServer {
  /** The calls of turns, in the order of arrival. */
  readonly calls: ScriptedCall[] = [];
  readonly auxiliaryCalls: ScriptedCall[] = [];
  /** Requests that no dialect knows. The server answers them with 404. */
  readonly otherRequests: OtherRequest[] = [];
  readonly #http: Server;
  readonly #options: ModelServerOptions;
  readonly #steps: ScriptEntry[];
  /** The call of each turn, by its index, whether or not it has arrived. */
  readonly #arrivals: Deferred<ScriptedCall>[] = [];
  #awaited = 0;
  readonly #closing = new AbortController();
  readonly #problems: string[] = [];

  static async start(
    script: readonly ScriptEntry[] = [],
    options: ModelServerOptions = {},
  ): Promise<ModelServer> {
    const server = new ModelServer(script, options);
    await new Promise<void>((resolve, reject) => {
      server.#http.once("error", reject);
      server.#http.listen(0, "127.0.0.1", resolve);
    });
    return server;
  }

  private constructor(script: readonly ScriptEntry[], options: ModelServerOptions) {
    this.#steps = [...script];
    this.#options = options;
    this.#http = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        this.#problems.push(`the script failed: ${String(error)}`);
        response.destroy();
      });
    });
    // An agent may take long between two calls of one turn. Its connection must stay open.
    this.#http.keepAliveTimeout = 0;
  }

  /** The URL without a path, because agents differ in what belongs to the base URL. */
  get url(): string {
    const address = this.#http.address();
    if (address === null || typeof address === "string")
      throw new Error("the model server is closed");
    return `http://127.0.0.1:${address.port}`;
  }

  get stepsLeft(): number {
    return this.#steps.length;
  }

  push(...steps: ScriptEntry[]): void {
    this.#steps.push(...steps);
  }

  /** Drops the remaining steps, for an agent that was stopped before it reached them. */
  skip(): void {
    this.#steps.length = 0;
  }

  /** Resolves with the next main call that this method has not returned yet. */
  nextCall(): Promise<ScriptedCall> {
    return this.#arrival(this.#awaited++).promise;
  }

  /** Throws unless the agent made exactly the scripted calls. */
  verify(): void {
    const unused =
      this.#steps.length === 0 ? [] : [`${this.#steps.length} step(s) of the script were not used`];
    const problems = [...this.#problems, ...unused];
    if (problems.length > 0) throw new Error(`model script: ${problems.join("; ")}`);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("the model server was closed"));
    for (const arrival of this.#arrivals) arrival.reject(this.#closing.signal.reason);
    const closed = new Promise<void>((resolve) => {
      this.#http.close(() => resolve());
    });
    this.#http.closeAllConnections();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = request.method ?? "";
    const path = request.url ?? "";
    const body = asObject(parseLoosely(await readText(request)));
    const route = routeOf(method, path, body);
    if (route.kind === "model") return this.#answerModel(route, path, request, body, response);
    if (route.kind === "unknown") this.otherRequests.push({ method, path });
    const answer =
      route.kind === "fixed" ? route.body : { error: { message: `no such path: ${path}` } };
    response.writeHead(route.kind === "fixed" ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(answer));
  }

  async #answerModel(
    route: Route & { kind: "model" },
    path: string,
    request: IncomingMessage,
    body: JsonObject,
    response: ServerResponse,
  ): Promise<void> {
    const { dialect, model, stream } = route;
    const parsed = parseBody(dialect, body);
    const { headers } = request;
    const received: ModelRequest = { ...parsed, dialect, model, stream, path, headers, body };
    const auxiliary = (this.#options.isAuxiliary ?? offersNoTools)(received);
    const list = auxiliary ? this.auxiliaryCalls : this.calls;
    const ended = deferred<CallEnd>();
    const index = list.length;
    const call: ScriptedCall = { ...received, index, auxiliary, ended: ended.promise };
    list.push(call);
    const disconnected = new AbortController();
    const abort = (): void => disconnected.abort();
    response.once("close", abort);
    this.#closing.signal.addEventListener("abort", abort, { once: true });
    try {
      ended.resolve(
        await deliver(await this.#deliveryFor(call), call, response, disconnected.signal),
      );
    } finally {
      ended.resolve("aborted");
      this.#closing.signal.removeEventListener("abort", abort);
    }
  }

  async #deliveryFor(call: ScriptedCall): Promise<Delivery> {
    // Take the step before the test sees the call, so that steps pushed in response to it are for later calls.
    const entry = call.auxiliary
      ? (this.#options.auxiliary ?? harmlessAnswer)
      : this.#nextStep(call);
    if (!call.auxiliary) this.#arrival(call.index).resolve(call);
    const reply = planReply(typeof entry === "function" ? await entry(call) : entry);
    return planDelivery(reply, call);
  }

  #arrival(index: number): Deferred<ScriptedCall> {
    const known = this.#arrivals[index];
    if (known) return known;
    const arrival = deferred<ScriptedCall>();
    void quiet(arrival.promise);
    if (this.#closing.signal.aborted) arrival.reject(this.#closing.signal.reason);
    this.#arrivals[index] = arrival;
    return arrival;
  }

  #nextStep(call: ScriptedCall): ScriptEntry {
    const step = this.#steps.shift() ?? this.#options.fallback;
    if (step !== undefined) return step;
    this.#problems.push(`call ${call.index + 1} came after the last step`);
    return text("(the script has no step for this call)");
  }
}

function planDelivery(reply: Reply, call: ScriptedCall): Delivery {
  const dialect = dialects[call.dialect];
  const context = {
    id: `reply_${call.auxiliary ? "aux_" : ""}${call.index + 1}`,
    model: call.model,
  };
  const items = call.stream ? dialect.stream(reply, context) : reply.pieces.filter(isControl);
  return {
    items: reply.cutAfter === undefined ? items : cutAfterChunks(items, reply.cutAfter),
    whole: call.stream ? undefined : dialect.whole(reply, context),
    error: reply.error && {
      ...reply.error,
      body: reply.error.body ?? dialect.errorBody(reply.error.status),
    },
  };
}

interface Delivery {
  readonly items: readonly WireItem[];
  /** The body of a reply that is not streamed. `items` then holds only waits, gates and cuts. */
  readonly whole: unknown;
  readonly error: HttpErrorPart | undefined;
}

/** Sends a reply at the script's pace, until it is complete or cut, or the agent has disconnected. */
async function deliver(
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
