import { ModelServer, text } from "../../scripted-model/index.ts";
import { isJsonObject, type JsonObject, within } from "../../../base/index.ts";
import { NotApplicable, Unmet } from "../harness/errors.ts";
import { SubjectLink } from "../harness/link.ts";
import type { Pace } from "../harness/pace.ts";
import { needResult, type CallReply } from "../harness/reply.ts";
import { ScratchPlace } from "../subject/home.ts";
import type { AgentSubject } from "../subject/subject.ts";
import { VerdictBook } from "../verdicts.ts";

/** The facts about its subject that a run has before the cases begin. */
export interface SubjectFacts {
  readonly initialized: JsonObject;
  /** The result of `session/new`; undefined if there was none. */
  readonly session: JsonObject | undefined;
}

export interface RunContext {
  readonly subject: AgentSubject;
  readonly pace: Pace;
  readonly protocol: 1 | 2;
  /** Whether cases may connect the subject with the scripted model. */
  readonly usesModel: boolean;
  /** The contents of the file of prompts; undefined if there is none. */
  readonly prompts: unknown;
  /** The id of the sign-in method that the run was given; undefined if none was. */
  readonly authMethod: string | undefined;
  /** Options that allow cases which change something outside the run. */
  readonly optIn: ReadonlySet<string>;
  /** Aborted when the run ends early. */
  readonly signal: AbortSignal;
  readonly facts: () => SubjectFacts;
  /** The id of the method to sign in with before sessions are opened; undefined if none is needed. */
  readonly signIn: () => string | undefined;
}

export interface ConnectOptions {
  /** The folders of the subject. Default: those of the case. */
  readonly place?: ScratchPlace | undefined;
  /** The folder that the process starts in. Default: the home. */
  readonly cwd?: string | undefined;
  /** Variables in addition to those that every subject gets. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export interface OpenOptions extends ConnectOptions {
  /** The capabilities that the checker offers. Default: none. */
  readonly capabilities?: JsonObject | undefined;
}

export interface OpenAgent {
  readonly link: SubjectLink;
  readonly initialized: JsonObject;
}

export interface WatchedLink {
  readonly link: SubjectLink;
  /** The value of the environment that the subject must not show. */
  readonly secret: string;
}

/** The checker's own name, for `initialize`. */
export const CHECKER_INFO = { name: "dragoman-check", version: "1.0.0" };

/** Whether a capability is advertised: true, or any object. `path` is dotted. */
export function hasCapability(capabilities: JsonObject, path: string): boolean {
  let value: unknown = capabilities;
  for (const key of path.split(".")) value = isJsonObject(value) ? value[key] : undefined;
  return value === true || isJsonObject(value);
}

export function signInMethod(protocol: 1 | 2): string {
  return protocol === 1 ? "authenticate" : "auth/login";
}

/** One run of one case: connections, scratch folders, the scripted model, and verdicts. */
export class AgentCheck extends VerdictBook {
  readonly run: RunContext;
  readonly #shared: SharedAgent | undefined;
  readonly watched: WatchedLink[] = [];
  readonly #places: ScratchPlace[] = [];
  #place: Promise<ScratchPlace> | undefined;
  #model: Promise<ModelServer> | undefined;

  /** Without `shared`, every connection is a process of its own. */
  constructor(run: RunContext, shared?: SharedAgent) {
    super();
    this.run = run;
    this.#shared = shared;
  }

  get pace(): Pace {
    return this.run.pace;
  }

  /** The capabilities that the agent advertised before the cases began. */
  get capabilities(): JsonObject {
    const { initialized } = this.run.facts();
    const own = initialized[this.run.protocol === 1 ? "agentCapabilities" : "capabilities"];
    return isJsonObject(own) ? own : {};
  }

  /** Whether a capability is advertised. `path` is dotted. */
  advertises(path: string): boolean {
    return hasCapability(this.capabilities, path);
  }

  /** The method to sign in with that the run was given. */
  needAuthMethod(): string {
    const { authMethod } = this.run;
    if (authMethod === undefined) throw new NotApplicable("no method to sign in with was given");
    return authMethod;
  }

  place(): Promise<ScratchPlace> {
    this.#place ??= this.#shared ? this.#shared.place() : this.newPlace();
    return this.#place;
  }

  async newPlace(): Promise<ScratchPlace> {
    const place = await ScratchPlace.create();
    this.#places.push(place);
    return place;
  }

  async workspace(files?: Readonly<Record<string, string>>): Promise<string> {
    return (await this.place()).workspace(files);
  }

  /**
   * The scripted model of this case. Calls after the last step are answered with a greeting. Throws
   * {@link Unmet} if the subject cannot be connected with it.
   */
  model(): Promise<ModelServer> {
    if (!this.run.usesModel) throw new Unmet("the subject has no scripted model");
    this.#model ??= ModelServer.start([], { fallback: text("Hello.") });
    return this.#model;
  }

  /** Starts the subject. Nothing is sent yet. */
  async start(options: ConnectOptions = {}): Promise<SubjectLink> {
    this.run.signal.throwIfAborted();
    const place = options.place ?? (await this.place());
    const modelUrl = this.run.usesModel ? (await this.model()).url : undefined;
    const { cwd, env } = options;
    const transport = await this.run.subject.connect({ place, modelUrl, cwd, env });
    const { protocol, signal } = this.run;
    // A subject that does not answer would hold up the end of the run until its limit.
    const end = (): void => void transport.end();
    signal.addEventListener("abort", end, { once: true });
    void transport.ended.then(() => signal.removeEventListener("abort", end));
    if (signal.aborted) end();
    const { secret } = place;
    const link = new SubjectLink(transport, { pace: this.pace, protocol, secrets: [secret] });
    this.watched.push({ link, secret });
    return link;
  }

  /** Starts the subject and initializes it; a case that shares a process gets that process. */
  async open(options?: OpenOptions): Promise<OpenAgent> {
    if (this.#shared && options === undefined) return this.#shared.open();
    const link = await this.start(options);
    const reply = await this.initialize(link, options?.capabilities);
    const initialized = needResult(reply, "initialize failed");
    const methodId = this.run.signIn();
    if (methodId !== undefined) await link.request(signInMethod(this.run.protocol), { methodId });
    return { link, initialized };
  }

  /** Sends `initialize` as an ordinary client does. */
  initialize(link: SubjectLink, capabilities: JsonObject = {}): Promise<CallReply> {
    const { protocol } = this.run;
    return link.request(
      "initialize",
      protocol === 1
        ? { protocolVersion: 1, clientCapabilities: capabilities, clientInfo: CHECKER_INFO }
        : { protocolVersion: 2, capabilities, info: CHECKER_INFO },
    );
  }

  /** Opens a session in a new folder, or in `cwd`. Throws {@link Unmet} if that fails. */
  async session(link: SubjectLink, cwd?: string): Promise<string> {
    const result = await this.newSession(link, cwd);
    const { sessionId } = result;
    if (typeof sessionId !== "string") throw new Unmet("session/new gave no session id");
    return sessionId;
  }

  /** As {@link session}, with the whole result. */
  async newSession(link: SubjectLink, cwd?: string): Promise<JsonObject> {
    return needResult(await this.requestSession(link, cwd), "session/new failed");
  }

  /** As {@link session}, with the reply, whatever it is. */
  async requestSession(link: SubjectLink, cwd?: string, more: JsonObject = {}): Promise<CallReply> {
    const folder = cwd ?? (await this.workspace());
    return link.request("session/new", { cwd: folder, mcpServers: [], ...more });
  }

  /** Sends a prompt of one text, and waits for the end of the turn. */
  prompt(link: SubjectLink, sessionId: string, words: string): Promise<CallReply> {
    const prompt = [{ type: "text", text: words }];
    return link.request("session/prompt", { sessionId, prompt }, { limitMs: this.pace.turnMs });
  }

  /** Ends a process as a client does: it closes stdin, waits, and then insists. */
  async leave({ transport }: SubjectLink): Promise<void> {
    const { process: control } = transport;
    control?.endInput();
    if (control) await within(control.exited, this.pace.exitMs);
    await transport.end();
  }

  async end(): Promise<void> {
    await Promise.all(this.watched.map(({ link }) => link.transport.end()));
    await (await this.#model)?.close();
    await Promise.all(this.#places.map((place) => place.remove()));
  }
}

/** A process that several cases use one after the other. */
export interface SharedAgent {
  place(): Promise<ScratchPlace>;
  /** The initialized connection, started again if it has ended. */
  open(): Promise<OpenAgent>;
}
