import {
  text,
  type ModelRequest,
  type ModelServer,
  type ReceivedToolResult,
  type ScriptEntry,
} from "../../../scripted-model/index.ts";
import { asObject, type JsonObject, stringField } from "../../../../base/index.ts";
import { NotApplicable, Unmet } from "../../harness/errors.ts";
import {
  allow,
  CANCELLED,
  type ClientAnswer,
  EVERYTHING,
  PERMISSION,
  type RequestAnswerer,
  type SubjectRequest,
} from "../../harness/client-answers.ts";
import type { BegunRequest, LinkFrame, SubjectLink } from "../../harness/link.ts";
import { type CallReply, describeReply, needResult } from "../../harness/reply.ts";
import type { ScratchPlace } from "../../subject/home.ts";
import { type AgentCheck, hasCapability } from "../agent-check.ts";
import {
  type Act,
  missingTool,
  parsePrompts,
  promptFor,
  type PromptName,
  type Prompts,
  stepsFor,
} from "./act.ts";
import { ClientFiles, ClientTerminals } from "./client.ts";

export interface StageOptions {
  /** The capabilities of the client. Default: {@link EVERYTHING}. */
  readonly capabilities?: JsonObject | undefined;
}

export interface StageSession {
  readonly id: string;
  readonly cwd: string;
  /** The result of the request that opened it. */
  readonly result: JsonObject;
}

export interface TurnPlan {
  /** Done in this order. An agent without a model can do one. */
  readonly acts?: readonly Act[] | undefined;
  /** The answers of the model after that. Default: one short text. */
  readonly ending?: readonly ScriptEntry[] | undefined;
  /** Default: a short text. */
  readonly blocks?: readonly JsonObject[] | undefined;
  /** Set to keep the answers that the model still has, for turns at the same time. */
  readonly isAlongside?: boolean | undefined;
  /** Default: the pace's limit for a turn. */
  readonly limitMs?: number | undefined;
}

export interface StageTurn extends BegunRequest {
  readonly session: StageSession;
}

export interface EndedTurn extends StageTurn {
  readonly end: CallReply;
  readonly calls: readonly ModelRequest[];
}

const WORDS = "Please go on.";
const DONE = "Done.";

/** An agent on the scripted model, or on prompts, and a client that answers its requests. */
export class Stage {
  readonly check: AgentCheck;
  readonly link: SubjectLink;
  readonly capabilities: JsonObject;
  readonly files = new ClientFiles();
  readonly terminals: ClientTerminals;
  /** The scripted model; undefined for an agent that is driven by prompts. */
  readonly model: ModelServer | undefined;
  readonly prompts: Prompts;
  /** Answers permission requests. Default: allows once. */
  permission: RequestAnswerer = allow;
  /** Answers questions to the user. Default: declines. */
  elicitation: RequestAnswerer = () => ({ result: { action: "decline" } });
  /** Sees every request first. Returns undefined to leave it to the others. */
  intercept: ((request: SubjectRequest) => ClientAnswer | undefined) | undefined;
  #missing: Act["tool"] | undefined;
  readonly #folders = new Map<string, string>();

  private constructor(
    check: AgentCheck,
    link: SubjectLink,
    place: ScratchPlace,
    capabilities: JsonObject,
    model: ModelServer | undefined,
  ) {
    this.check = check;
    this.link = link;
    this.capabilities = capabilities;
    this.model = model;
    this.prompts = check.run.prompts === undefined ? {} : parsePrompts(check.run.prompts);
    this.terminals = new ClientTerminals(
      (sessionId) => this.#folderOf(sessionId) ?? place.home,
      place.env(),
    );
    const { recipe } = check.run.subject;
    if (recipe?.missingFile === "empty") this.files.missing = { result: { content: "" } };
    link.handle("*", (request) => this.#answer(request));
    void link.transport.ended.then(() => this.terminals.close());
  }

  static async open(check: AgentCheck, options: StageOptions = {}): Promise<Stage> {
    const { capabilities = EVERYTHING } = options;
    const place = await check.place();
    const model = check.run.usesModel ? await check.model() : undefined;
    const { link } = await check.open({ place, capabilities });
    return new Stage(check, link, place, capabilities, model);
  }

  /** The scripted model. Throws {@link NotApplicable} for an agent that is driven by prompts. */
  needModel(): ModelServer {
    if (!this.model) throw new NotApplicable("needs a scripted model: prompts cannot provoke it");
    return this.model;
  }

  /** Opens a session in a new folder with these files. Throws {@link Unmet} if that fails. */
  async session(
    files: Readonly<Record<string, string>> = {},
    params: JsonObject = {},
  ): Promise<StageSession> {
    const cwd = await this.check.workspace(files);
    const reply = await this.check.requestSession(this.link, cwd, params);
    const result = needResult(reply, "session/new failed");
    const { sessionId } = result;
    if (typeof sessionId !== "string") throw new Unmet("session/new gave no session id");
    this.#folders.set(sessionId, cwd);
    return { id: sessionId, cwd, result };
  }

  /** Begins a turn. Throws {@link Unmet} if the agent cannot be made to do it. */
  begin(session: StageSession, plan: TurnPlan = {}): StageTurn {
    const { acts = [], ending = [text(DONE)], limitMs = this.check.pace.turnMs } = plan;
    const words = this.model ? this.#script(acts, ending, plan) : this.#promptOf(acts);
    const prompt = plan.blocks ?? [{ type: "text", text: words }];
    const params = { sessionId: session.id, prompt };
    return { session, ...this.link.begin("session/prompt", params, { limitMs }) };
  }

  /** Runs a turn to its end. Throws {@link Unmet} if the agent has no tool for it. */
  async turn(session: StageSession, plan: TurnPlan = {}): Promise<EndedTurn> {
    const before = this.model?.calls.length ?? 0;
    const turn = this.begin(session, plan);
    const end = await turn.reply;
    this.needTools();
    return { ...turn, end, calls: this.model?.calls.slice(before) ?? [] };
  }

  /** Runs a turn in which the agent does one thing; undefined if nothing can make it do that. */
  async act(session: StageSession, act: Act): Promise<EndedTurn | undefined> {
    return this.canDo(act) ? this.turn(session, { acts: [act] }) : undefined;
  }

  /**
   * Throws {@link Unmet} for an agent without a model that answers a plain prompt with an error: the
   * missing model may be the reason.
   */
  needPrompts(end: CallReply): void {
    if (this.model || end.kind !== "error") return;
    throw new Unmet(`no prompt works without a model: ${describeReply(end)}`);
  }

  endOf({ id, n }: Pick<StageTurn, "id" | "n">): Promise<CallReply> {
    return this.link.reply(id, { after: n, limitMs: this.check.pace.turnMs });
  }

  /** Lets a turn that was held go on, and waits for its end. A slow prompt of the user's is canceled. */
  async finish(turn: StageTurn & { release(): void }): Promise<CallReply> {
    turn.release();
    if (!this.model) this.cancel(turn.session);
    return this.endOf(turn);
  }

  /** The text of the agent's messages in a session since its turn began. */
  said({ session, n }: Pick<StageTurn, "session" | "n">): string {
    return this.link.textOf(session.id, "agent_message_chunk", n);
  }

  /** Begins a turn with a prompt of the user's file. */
  beginPrompt(session: StageSession, name: PromptName): StageTurn {
    const words = this.prompts[name];
    if (words === undefined)
      throw new NotApplicable(`needs a scripted model, or the prompt "${name}"`);
    return this.begin(session, { blocks: [{ type: "text", text: words }] });
  }

  /** Whether there is a way to make the agent do something. */
  canDo(act: Act): boolean {
    return this.model !== undefined || promptFor(act, this.prompts) !== undefined;
  }

  /** Throws {@link Unmet} if a tool was missing in a turn. */
  needTools(): void {
    if (this.#missing !== undefined) throw new Unmet(missingTool(this.#missing));
  }

  cancel(session: Pick<StageSession, "id">): LinkFrame {
    return this.link.notify("session/cancel", { sessionId: session.id });
  }

  /** Closes the agent's stdin, and ends it if it does not exit by itself. */
  leave(): Promise<void> {
    return this.check.leave(this.link);
  }

  /** Answers requests with this method in another way, until {@link reset}. */
  answer(method: string, answer: ClientAnswer): void {
    this.intercept = (request) => (request.method === method ? answer : undefined);
  }

  /** Answers as usual again, and closes permission requests without a choice. */
  reset(): void {
    this.permission = () => CANCELLED;
    this.intercept = undefined;
  }

  /** The requests of the agent with a method, after a position. */
  requests(method: string, after = 0): readonly SubjectRequest[] {
    return this.link.requests.filter((request) => request.n > after && request.method === method);
  }

  #script(acts: readonly Act[], ending: readonly ScriptEntry[], plan: TurnPlan): string {
    const model = this.needModel();
    // An agent that was stopped leaves answers behind, which are not for this turn.
    if (plan.isAlongside !== true) model.skip();
    const tools = this.check.run.subject.recipe?.tools;
    for (const act of acts) {
      model.push(...stepsFor(act, tools, () => void (this.#missing = act.tool)));
    }
    model.push(...ending);
    return WORDS;
  }

  #promptOf(acts: readonly Act[]): string {
    const [act, ...more] = acts;
    if (!act) return WORDS;
    const prompt = more.length === 0 ? promptFor(act, this.prompts) : undefined;
    if (prompt === undefined) throw new NotApplicable("needs a scripted model, or a prompt for it");
    return prompt;
  }

  async #answer(request: SubjectRequest): Promise<ClientAnswer> {
    const early = this.intercept?.(request);
    if (early !== undefined) return early;
    const { method } = request;
    if (method === PERMISSION) return this.permission(request);
    if (method === "fs/read_text_file" && this.#offers("fs.readTextFile"))
      return this.files.read(request);
    if (method === "fs/write_text_file" && this.#offers("fs.writeTextFile"))
      return this.files.write(request);
    if (method.startsWith("terminal/") && this.#offers("terminal"))
      return this.terminals.answer(request);
    if (method === "elicitation/create" && this.#offers("elicitation.form"))
      return this.elicitation(request);
    return { error: { code: -32601, message: `method not found: ${method}` } };
  }

  /** The folder of the last load or resume of a session, or of its beginning. */
  #folderOf(sessionId: string): string | undefined {
    const folders = this.link.frames.flatMap(({ direction, message }) => {
      if (direction !== "out" || message.kind !== "request") return [];
      const params = asObject(message.params);
      const cwd = stringField(params, "cwd");
      return params["sessionId"] === sessionId && cwd !== undefined ? [cwd] : [];
    });
    return folders.at(-1) ?? this.#folders.get(sessionId);
  }

  #offers(path: string): boolean {
    return hasCapability(this.capabilities, path);
  }
}

/** The results of tools in requests to the model. */
export function toolResultsIn(calls: readonly ModelRequest[]): readonly ReceivedToolResult[] {
  return calls.flatMap(({ messages }) => messages.flatMap(({ toolResults }) => toolResults));
}
