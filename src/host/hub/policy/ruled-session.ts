import {
  CLIENT_METHODS,
  type PermissionChoice,
  stringOrUndefined,
  readPermissionOptions,
} from "../../../protocol/acp/index.ts";
import {
  allows,
  cancelledError,
  chooseOption,
  coveredTargets,
  AgentGate,
  deniedError,
  isInside,
  localTerminals,
  type PermissionFunction,
  PermissionMemory,
  type PermissionRequest,
  type RequestedWork,
  type SessionAccess,
  WORK_KINDS,
  type Workspace,
} from "../../../client/index.ts";
import type { PermissionDecision } from "../../../protocol/acp/index.ts";
import { RpcCode, RpcError, toErrorObject } from "../../../transport/rpc/index.ts";
import {
  applyRules,
  type PermissionRule,
  queryOf,
  type RuleAnswer,
  type RulesFile,
} from "../../../client/rules/index.ts";
import {
  deferred,
  isJsonObject,
  quiet,
  type JsonObject,
  objectField,
  type EnvOverlay,
  objectsField,
} from "../../../base/index.ts";
import type {
  PolicyAnswer,
  PolicyOutcome,
  PolicyRequest,
  PolicySession,
  SessionPolicy,
  HubOptions,
  UnjudgedRequest,
} from "../options.ts";
import { KnownCalls } from "./known-calls.ts";
import { Questioner, workTargets, workOf } from "./requested-work.ts";
import type { AuditEntry, AuditLog } from "../audit.ts";
import {
  CANCELLED,
  type HubVerdict,
  type JudgedFacts,
  UNKNOWN_FACTS,
  verdictOn,
  verdictOnWork,
  chosenOption,
} from "./verdict.ts";
import { isDeepStrictEqual } from "node:util";

const FORWARD: PolicyAnswer = { kind: "forward" };

const READ_ALLOWED: HubVerdict = { decision: "allow", by: { type: "default" } };
const MOVED: HubVerdict = { decision: "deny", by: { type: "roots" } };

/** Decides about the requests of an agent in one session: by the rules, and otherwise by the clients. */
class RuledSession implements SessionPolicy {
  readonly #session: PolicySession;
  readonly #options: HubPolicyOptions;
  readonly #rules: readonly PermissionRule[];
  readonly #calls: KnownCalls;
  readonly #gate: AgentGate;
  readonly #access: SessionAccess;
  readonly #questioner: Questioner;
  /** The targets of tool calls that were allowed: work on them needs no second question. */
  readonly #grants = new PermissionMemory();
  /** Whether the folders of the session are where its client expects them. */
  readonly #hasRealRoots: Promise<boolean>;
  /** The requests that clients are answering. */
  readonly #forwarded = new Map<PolicyRequest, (outcome: PolicyOutcome) => void>();
  readonly #closing = new AbortController();
  /** Resolves once the commands of an agent that ended have ended too. */
  #ending: Promise<unknown> = Promise.resolve();

  constructor(session: PolicySession, options: HubPolicyOptions) {
    const { rules, files, missingFile, env } = options;
    const { roots, protocolVersion } = session;
    const isServer = files === "server";
    this.#session = session;
    this.#options = options;
    this.#rules = rules?.forFolder(roots[0] ?? "/") ?? [];
    this.#calls = new KnownCalls(protocolVersion);
    this.#gate = new AgentGate({
      capabilities: { fs: { readTextFile: isServer, writeTextFile: isServer } },
      permissions: "deny",
      sticky: "off",
      fs: { missingFile: missingFile?.(session.agent) },
      ...(isServer ? { terminal: localTerminals({ env }) } : {}),
    });
    this.#access = this.#gate.access(roots);
    this.#questioner = new Questioner(session.sessionId, this.#access.workspace);
    this.#hasRealRoots = isServer
      ? hasRealRoots(this.#access.workspace, roots)
      : Promise.resolve(true);
  }

  update(params: PolicyRequest["params"]): void {
    this.#calls.update(params);
  }

  async request(request: PolicyRequest): Promise<PolicyAnswer> {
    switch (request.method) {
      case CLIENT_METHODS.requestPermission:
        return this.#permission(request);
      case CLIENT_METHODS.readTextFile:
      case CLIENT_METHODS.writeTextFile:
      case CLIENT_METHODS.createTerminal:
        return this.#work(request);
      case CLIENT_METHODS.terminalOutput:
      case CLIENT_METHODS.waitForTerminalExit:
      case CLIENT_METHODS.killTerminal:
      case CLIENT_METHODS.releaseTerminal:
        return this.#options.files === "server" ? this.#serve(request) : FORWARD;
      default:
        return FORWARD;
    }
  }

  answered(request: PolicyRequest, outcome: PolicyOutcome): void {
    this.#forwarded.get(request)?.(outcome);
  }

  /** The process of the agent ended: its commands are ended, and its tool calls allow nothing anymore. */
  agentEnded(): void {
    this.#grants.forget(this.#session.sessionId);
    const ended = this.#gate.closeSession(this.#session.sessionId);
    this.#ending = quiet(Promise.all([this.#ending, ended]));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const resolve of this.#forwarded.values()) resolve({ kind: "cancelled" });
    await Promise.all([this.#ending, this.#gate.close()]);
  }

  /** Answers a permission request by a rule or forwards it, and remembers which work was allowed. */
  #permission(request: PolicyRequest): Promise<PolicyAnswer> {
    const params = this.#calls.permission(request.params);
    const forwarded = deferred<PolicyAnswer>();
    let isAsked = false;
    const decide = async (asked: PermissionRequest): Promise<PermissionDecision> => {
      isAsked = true;
      const ruled = applyRules(this.#rules, queryOf(asked));
      if (ruled && isFinal(ruled, asked)) {
        await this.#record(request, asked, this.#byRule(ruled));
        if (ruled.decision === "allow") this.#grant(asked);
        return ruled.decision === "allow" ? "allow" : "deny";
      }
      const answered = this.#outcomeOf(request);
      forwarded.resolve(FORWARD);
      const outcome = await answered;
      const choice = choiceOf(outcome, asked.options);
      if (allows(choice)) this.#grant(asked);
      await this.#record(request, asked, verdictOn(outcome, choice));
      return choice ? { optionId: choice.optionId, remember: "off" } : "cancel";
    };
    const answer = this.#ask(request, params, decide).then(
      async (result): Promise<PolicyAnswer> => {
        if (!isAsked) await this.#record(request, UNKNOWN_FACTS, unaskedVerdict(request));
        return { kind: "result", result };
      },
      // It is not valid, so that the rules cannot judge it.
      (error: unknown): PolicyAnswer | Promise<PolicyAnswer> =>
        this.#rules.length > 0
          ? this.#invalid(request, error)
          : this.#forward(request, UNKNOWN_FACTS, (outcome) =>
              verdictOn(outcome, choiceOf(outcome, readableOptions(params))),
            ),
    );
    return Promise.race([forwarded.promise, answer]);
  }

  /** Judges work on files or commands, and forwards it or does it here. */
  async #work(request: PolicyRequest): Promise<PolicyAnswer> {
    const { method, params, signal } = request;
    const isServer = this.#options.files === "server";
    const work = workOf(method, params, this.#session.roots[0] ?? "/");
    if (!work) {
      // The gate explains the faults. Clients may be more lenient than the rules.
      if (isServer) return this.#serve(request);
      if (this.#rules.length === 0) return this.#forward(request, UNKNOWN_FACTS);
      return this.#invalid(request, RpcError.invalidParams(`Invalid params for ${method}`));
    }
    const targets = await workTargets(this.#access.workspace, work, [signal]);
    const judged = { kind: WORK_KINDS[work.type], targets };
    if (signal.aborted) {
      await this.#record(request, judged, CANCELLED);
      return failure(cancelledError());
    }
    const ruled = applyRules(this.#rules, queryOf(judged));
    // Before the grants of tool calls: a rule that denies has no exception.
    if (ruled?.decision === "deny") {
      await this.#record(request, judged, this.#byRule(ruled));
      return failure(deniedError(judged.kind));
    }
    if (isServer) return this.#serve(request, judged);
    return this.#workOfClient(request, work, judged, ruled);
  }

  /** Refuses a request that the rules cannot judge. */
  async #invalid(request: PolicyRequest, error: unknown): Promise<PolicyAnswer> {
    await this.#record(request, UNKNOWN_FACTS, { decision: "deny", by: { type: "invalid" } });
    return failure(error);
  }

  async #workOfClient(
    request: PolicyRequest,
    work: RequestedWork,
    judged: JudgedFacts,
    ruled: RuleAnswer | undefined,
  ): Promise<PolicyAnswer> {
    if (ruled?.decision === "allow") {
      await this.#record(request, judged, this.#byRule(ruled));
      return FORWARD;
    }
    if (ruled === undefined) return this.#forward(request, judged);
    const { sessionId } = this.#session;
    const covered = coveredTargets(judged.kind, judged.targets, undefined, "/");
    const isOpen = (id: string): boolean => this.#calls.isOpen(id);
    if (this.#grants.useGrant(sessionId, covered, isOpen)) return FORWARD;
    const verdict = await this.#questioner.ask(request, work, true);
    await this.#record(request, judged, verdict);
    return verdict.decision === "allow" ? FORWARD : failure(deniedError(judged.kind));
  }

  /** Does work here, inside the folders of the session. */
  async #serve(request: PolicyRequest, judged: JudgedFacts = UNKNOWN_FACTS): Promise<PolicyAnswer> {
    if (!(await this.#hasRealRoots)) {
      await this.#record(request, judged, MOVED);
      return failure(RpcError.invalidParams("The folder of the session has moved"));
    }
    let isJudged = false;
    const decide = async (asked: PermissionRequest): Promise<PermissionDecision> => {
      isJudged = true;
      const verdict = await this.#judge(request, asked);
      await this.#record(request, asked, verdict);
      return verdict.decision;
    };
    try {
      return { kind: "result", result: await this.#ask(request, request.params, decide) };
    } catch (error) {
      if (!isJudged && isRefusedPath(error)) {
        await this.#record(request, judged, { decision: "deny", by: { type: "roots" } });
      }
      return failure(error);
    }
  }

  /** The jail has let the work through. */
  async #judge(request: PolicyRequest, asked: PermissionRequest): Promise<HubVerdict> {
    const ruled = applyRules(this.#rules, queryOf(asked));
    if (ruled && ruled.decision !== "ask") return this.#byRule(ruled);
    if (!ruled) {
      const known = this.#questioner.remembered(asked.kind);
      if (known) return known;
      if (asked.kind === "read" && isInside(asked.targets)) return READ_ALLOWED;
    }
    if (asked.subject.type === "tool_call") return { decision: "deny", by: { type: "invalid" } };
    return this.#questioner.ask(request, asked.subject, ruled !== undefined);
  }

  /** Lets the gate answer a request. `decide` is called with everything known about it. */
  async #ask(
    { method, signal }: PolicyRequest,
    params: PolicyRequest["params"],
    decide: PermissionFunction,
  ): Promise<unknown> {
    const { sessionId, roots } = this.#session;
    const decider = { ...this.#access.decider, policy: undefined, ask: decide };
    const access = { ...this.#access, decider };
    const session = this.#calls.gateSession({ id: sessionId, roots }, access, this.#closing.signal);
    return this.#gate.request(method, params, { id: 0, bytes: 0, signal }, (id) =>
      id === sessionId ? session : undefined,
    );
  }

  /** Forwards a request, and records how it ends. */
  #forward(
    request: PolicyRequest,
    judged: JudgedFacts,
    verdict: (outcome: PolicyOutcome) => HubVerdict = verdictOnWork,
  ): PolicyAnswer {
    if (this.#options.audit) {
      void this.#outcomeOf(request).then((outcome) =>
        this.#record(request, judged, verdict(outcome)),
      );
    }
    return FORWARD;
  }

  /** How a request ends that is about to be forwarded. */
  async #outcomeOf(request: PolicyRequest): Promise<PolicyOutcome> {
    const { promise, resolve } = deferred<PolicyOutcome>();
    this.#forwarded.set(request, resolve);
    const outcome = await promise;
    this.#forwarded.delete(request);
    return outcome;
  }

  #grant({ kind, targets, toolCall }: PermissionRequest): void {
    if (!toolCall) return;
    const covered = coveredTargets(kind, targets, toolCall, this.#session.roots[0] ?? "/");
    this.#grants.grant(this.#session.sessionId, toolCall.toolCallId, covered);
  }

  #byRule({ decision, rule }: RuleAnswer): HubVerdict {
    const file = this.#options.rules?.file ?? "";
    const by = { type: "rule", rule: rule.number, file } as const;
    return { decision: decision === "allow" ? "allow" : "deny", by };
  }

  async #record(
    { method }: PolicyRequest,
    { kind, targets }: JudgedFacts,
    verdict: HubVerdict,
  ): Promise<void> {
    const { agent, owner, sessionId: session } = this.#session;
    const entry = { agent, owner, session, method, kind, targets, ...verdict };
    await this.#options.audit?.record(entry);
  }
}

/** Whether a rule answers a question. One that allows needs an option that allows it once. */
function isFinal({ decision }: RuleAnswer, { options }: PermissionRequest): boolean {
  if (decision === "ask") return false;
  return decision === "deny" || chooseOption("allow", options) !== undefined;
}

/** The gate answered a question without anyone who decided. */
function unaskedVerdict({ signal }: PolicyRequest): HubVerdict {
  return signal.aborted ? CANCELLED : { decision: "cancel", by: { type: "invalid" } };
}

/** Whether the jail refused a path, as opposed to a file that is missing. */
function isRefusedPath(error: unknown): boolean {
  if (!(error instanceof RpcError) || error.rpcCode !== RpcCode.invalidParams) return false;
  return isJsonObject(error.data) && typeof error.data["reason"] === "string";
}

function failure(error: unknown): PolicyAnswer {
  const { code, message, data } = toErrorObject(error, false);
  return { kind: "error", code, message, data };
}

/** The hub options by which rules, and otherwise clients, decide about the requests of agents. */
export function hubPolicy(
  options: HubPolicyOptions,
): Required<Pick<HubOptions, "policy" | "onUnjudged" | "capabilities">> {
  const { rules, files, audit } = options;
  const hasPolicy = rules !== undefined || files === "server" || audit !== undefined;
  return {
    policy: hasPolicy ? (session) => new RuledSession(session, options) : undefined,
    onUnjudged: audit && ((request) => audit.record(unjudgedEntry(request))),
    capabilities: files === "server" ? withFiles : undefined,
  };
}

/** Pure: the entry of a request that names no open session, or that is ambiguous. */
function unjudgedEntry({ agent, owner, method, sessionId }: UnjudgedRequest): AuditEntry {
  const verdict = { decision: "deny", by: { type: "invalid" } } as const;
  return { agent, owner, session: sessionId ?? "", method, ...UNKNOWN_FACTS, ...verdict };
}

/** Pure: what a client announces, with files and terminals. */
function withFiles(capabilities: JsonObject): JsonObject {
  const fs = { ...objectField(capabilities, "fs"), readTextFile: true, writeTextFile: true };
  return { ...capabilities, fs, terminal: true };
}

/** Options of `hubPolicy`. */
export interface HubPolicyOptions {
  /** The permission rules. Default: none. */
  readonly rules?: RulesFile | undefined;
  /**
   * Who answers `fs/*` and `terminal/*`. `client`: the clients, on their machine. `server`: the hub, on this
   * machine, inside the folders of the session; these must be real paths, as `rootChecker` makes them.
   */
  readonly files: "client" | "server";
  /** Receives every decision. Default: none is kept. */
  readonly audit?: Pick<AuditLog, "record"> | undefined;
  /**
   * The answer to an agent that reads a missing file: an error, as the protocol says, or an empty
   * text, which some agents need to create files. It gets the name of the agent. Default: an error.
   */
  readonly missingFile?: ((agent: string) => "error" | "empty") | undefined;
  /** Changes the environment of commands that the hub runs. `undefined` removes a name. */
  readonly env?: EnvOverlay | undefined;
}

/** Pure: the option that a client chose; undefined if it chose none. */
function choiceOf(
  outcome: PolicyOutcome,
  options: readonly PermissionChoice[],
): PermissionChoice | undefined {
  return outcome.kind === "result" ? chosenOption(outcome.result, options) : undefined;
}

/** Pure: the options of a permission request that is not valid, as far as they can be read. */
function readableOptions(params: JsonObject): readonly PermissionChoice[] {
  const options = objectsField(params, "options").map(({ optionId, name, kind }) => ({
    optionId: stringOrUndefined(optionId) ?? "",
    name: stringOrUndefined(name) ?? "",
    kind: stringOrUndefined(kind) ?? "",
  }));
  return readPermissionOptions(options);
}

/** Fixes the folders of a session. Resolves with false if one is not a real path but a link. Never rejects. */
async function hasRealRoots(workspace: Workspace, roots: readonly string[]): Promise<boolean> {
  const places = await workspace.pin().catch(() => []);
  return places.length > 0 && isDeepStrictEqual(places, roots);
}
