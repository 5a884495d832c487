import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import { harmlessAnswer, offersNoTools } from "./auxiliary.ts";
import { deliver, type Delivery, cutAfterChunks } from "./deliver.ts";
import { asObject, deferred, type Deferred, type JsonObject } from "../../base/index.ts";
import { isControlPiece, planReply, type Reply } from "./reply.ts";
import {
  parseBody,
  parseJsonOrText,
  type CallEnd,
  type ScriptedCall,
  type ModelRequest,
} from "./request.ts";
import { dialects, routeOf, type Route } from "./route.ts";
import { text, type ScriptEntry } from "./script-parts.ts";

export interface ModelServerOptions {
  /** Answers main calls after the last step. Without it, `verify()` reports such a call. */
  readonly fallback?: ScriptEntry;
  /** Whether a call does not belong to a turn. */
  readonly isAuxiliary?: (request: ModelRequest) => boolean;
  readonly auxiliary?: ScriptEntry;
}

const CLOSED = "the model server was closed";

export interface OtherRequest {
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
  /** Main calls that `nextCall` has not returned, or else its callers that wait for one. */
  readonly #unread: ScriptedCall[] = [];
  readonly #readers: Deferred<ScriptedCall>[] = [];
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
  async nextCall(): Promise<ScriptedCall> {
    const call = this.#unread.shift();
    if (call) return call;
    if (this.#closing.signal.aborted) throw new Error(CLOSED);
    const reader = deferred<ScriptedCall>();
    this.#readers.push(reader);
    return reader.promise;
  }

  /** Throws unless the agent made exactly the scripted calls. */
  verify(): void {
    const unused =
      this.#steps.length === 0 ? [] : [`${this.#steps.length} step(s) of the script were not used`];
    const problems = [...this.#problems, ...unused];
    if (problems.length > 0) throw new Error(`model script: ${problems.join("; ")}`);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const reader of this.#readers.splice(0)) reader.reject(new Error(CLOSED));
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
    const body = asObject(parseJsonOrText(await readText(request)));
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
    const parsed = parseBody(route.dialect, body);
    const { dialect, model, stream } = route;
    const received: ModelRequest = {
      ...parsed,
      dialect,
      model,
      stream,
      path,
      headers: request.headers,
      body,
    };
    const auxiliary = (this.#options.isAuxiliary ?? offersNoTools)(received);
    const list = auxiliary ? this.auxiliaryCalls : this.calls;
    const ended = deferred<CallEnd>();
    const call: ScriptedCall = {
      ...received,
      index: list.length,
      auxiliary,
      ended: ended.promise,
    };
    list.push(call);
    const disconnected = new AbortController();
    const abort = (): void => disconnected.abort();
    response.once("close", abort);
    this.#closing.signal.addEventListener("abort", abort, { once: true });
    try {
      const delivery = await this.#deliveryFor(call);
      ended.resolve(await deliver(delivery, call, response, disconnected.signal));
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
    if (!call.auxiliary) this.#arrived(call);
    const reply = planReply(typeof entry === "function" ? await entry(call) : entry);
    return planDelivery(reply, call);
  }

  #arrived(call: ScriptedCall): void {
    const reader = this.#readers.shift();
    if (reader) reader.resolve(call);
    else this.#unread.push(call);
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
  const items = call.stream ? dialect.stream(reply, context) : reply.pieces.filter(isControlPiece);
  return {
    items: reply.cutAfter === undefined ? items : cutAfterChunks(items, reply.cutAfter),
    whole: call.stream ? undefined : dialect.whole(reply, context),
    error: reply.error && {
      ...reply.error,
      body: reply.error.body ?? dialect.errorBody(reply.error.status),
    },
  };
}
