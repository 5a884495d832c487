import {
  isFinished,
  mergeToolCall,
  type Meta,
  PERMISSION_CLASSES,
  type ParamsOf,
  type PermissionChoice,
  type PermissionOutcome,
  type ToolCallState,
  stringOrUndefined,
  readPermissionOptions,
  toToolCallPatch,
} from "../../../protocol/acp/index.ts";
import { isJsonObject, definedFields, log, type Logger } from "../../../base/index.ts";
import type { GateSession } from "../access.ts";
import { cancelledError, deniedError } from "../rpc-errors.ts";
import { untilAborted } from "../async.ts";
import {
  coveredTargets,
  isInside,
  type LocatedTargets,
  locateMentions,
  mentionsOf,
  type RequestedWork,
  targetsOfWork,
  WORK_KINDS,
} from "./targets.ts";
import { PermissionMemory } from "./memory.ts";
import {
  isDecision,
  OWN_OPTIONS,
  PERMISSION_TABLE,
  type PermissionFunction,
  type PermissionRequest,
  chooseOption,
  allows,
} from "./policy.ts";
import type { PermissionDecision, StickyScope } from "../../../protocol/acp/index.ts";
import type { RequestMeta } from "../providers/provider.ts";

/** A session, the signals that end the need for an answer, and the `_meta` of both messages. */
export interface GateScope {
  readonly session: GateSession;
  readonly signals: readonly AbortSignal[];
  readonly meta: RequestMeta;
}

type JudgedRequest = Omit<PermissionRequest, "signal" | "session" | keyof RequestMeta>;

interface JudgeVerdict {
  readonly by: "policy" | "memory" | "function" | "cancel";
  readonly choice: PermissionChoice | undefined;
  /** The decision of the function. */
  readonly decision?: PermissionDecision | undefined;
}

const CANCELLED: JudgeVerdict = { by: "cancel", choice: undefined };

/** Decides what an agent may do, by the policy of its session and by earlier decisions. */
export class PermissionJudge {
  readonly #sticky: StickyScope;
  readonly #logger: Logger | undefined;
  readonly #memory = new PermissionMemory();

  constructor(sticky: StickyScope, logger: Logger | undefined) {
    this.#sticky = sticky;
    this.#logger = logger;
  }

  /** Answers `session/request_permission`. Never rejects: a failure counts as a denial. */
  async answer(
    scope: GateScope,
    params: ParamsOf["session/request_permission"],
  ): Promise<PermissionOutcome> {
    // Must happen before the first await, so that the request keeps its wire order among the updates.
    const toolCall = mergedToolCall(scope.session, params);
    if (!toolCall) return { outcome: "cancelled" };
    const { kind } = toolCall;
    const options = readPermissionOptions(params.options);
    if (hasDuplicateIds(options)) {
      log(this.#logger, "warn", "cancelled a permission request with duplicate option ids", {
        sessionId: scope.session.id,
        toolCallId: toolCall.toolCallId,
      });
      return { outcome: "cancelled" };
    }
    const [root = "/"] = scope.session.roots;
    const { workspace } = scope.session.access;
    // A provider that never says where a path leads must not outlast the turn.
    const located = await untilAborted(scope.signals, () =>
      locateMentions(workspace, mentionsOf(toolCall, root), root, scope.signals),
    );
    if (located.aborted) return { outcome: "cancelled" };
    const targets = located.value;
    const covered = coveredTargets(kind, targets, toolCall, root);
    const subject = { type: "tool_call" } as const;
    const prose = definedFields({
      question: stringOrUndefined(params.title),
      description: stringOrUndefined(params.description),
    });
    const question: JudgedRequest = { kind, subject, targets, toolCall, options, ...prose };
    const { by, choice, decision } = await this.#decide(scope, question, covered);
    if (by !== "policy" && allows(choice)) {
      this.#memory.grant(scope.session.id, toolCall.toolCallId, covered);
    }
    this.#logDecision(scope, question, by, choice);
    if (!choice) return { outcome: "cancelled" };
    return {
      outcome: "selected",
      optionId: choice.optionId,
      ...definedFields({ meta: metaFor(decision) }),
    };
  }

  /**
   * Decides about work that an agent asks the client to do, even if the agent did not ask for
   * permission first. Rejects with RpcError if permission is denied or the request is cancelled.
   */
  async permit(scope: GateScope, subject: RequestedWork): Promise<void> {
    const { session } = scope;
    const kind = WORK_KINDS[subject.type];
    const targets = targetsOfWork(subject);
    const located = coveredTargets(kind, targets, undefined, "/");
    const options = OWN_OPTIONS;
    const question: JudgedRequest = { kind, subject, targets, toolCall: undefined, options };
    if (!isCancelled(scope) && this.#isGranted(session, located)) return;
    const { by, choice, decision } = await this.#decide(scope, question, located);
    this.#logDecision(scope, question, by, choice);
    if (by === "cancel") throw cancelledError();
    if (!allows(choice)) throw deniedError(kind, reasonOf(decision));
  }

  forget(sessionId: string): void {
    this.#memory.forget(sessionId);
  }

  async #decide(
    scope: GateScope,
    question: JudgedRequest,
    located: LocatedTargets,
  ): Promise<JudgeVerdict> {
    // The turn is cancelled but not over yet. The person who cancelled it wants nothing more done.
    if (isCancelled(scope)) return CANCELLED;
    const { options } = question;
    if (policyAllows(question, scope.session)) {
      return { by: "policy", choice: chooseOption("allow", options) };
    }
    const { ask } = scope.session.access.decider;
    if (!ask) return { by: "policy", choice: chooseOption("deny", options) };
    const remembered = this.#recall(scope, question, located);
    if (remembered) return { by: "memory", choice: remembered };
    const decision = await this.#askPerson(ask, question, scope);
    if (decision === undefined) return CANCELLED;
    const choice = chooseOption(decision, options);
    if (choice) this.#remember(scope, question, located, choice, decision);
    return { by: "function", choice, decision };
  }

  /**
   * A function that fails or returns no valid decision denies. Resolves to undefined once an answer is
   * no longer needed, even if the function never returns.
   */
  #askPerson(
    ask: PermissionFunction,
    question: JudgedRequest,
    { session, signals, meta }: GateScope,
  ): Promise<PermissionDecision | undefined> {
    const { id, roots } = session;
    return session.asking(async () => {
      try {
        const outcome = await untilAborted(signals, async (signal): Promise<unknown> =>
          ask({ ...question, ...meta, session: { id, roots }, signal }),
        );
        if (outcome.aborted) return undefined;
        if (isDecision(outcome.value)) return outcome.value;
        log(this.#logger, "error", "the permission function returned no valid decision");
      } catch (error) {
        log(this.#logger, "error", "the permission function failed", { error });
      }
      return "deny";
    });
  }

  #recall(
    scope: GateScope,
    question: JudgedRequest,
    located: LocatedTargets,
  ): PermissionChoice | undefined {
    const rule = this.#memory.recall(scope.session, located);
    if (!rule) return undefined;
    const once = chooseOption(rule.allow ? "allow" : "deny", question.options);
    // Checks the kind too: an agent could reuse the id of a reject option for an allow option.
    const always = rule.allow ? "allow_always" : "reject_always";
    const isChosen = (option: PermissionChoice): boolean =>
      option.kind === always && option.optionId === rule.optionId;
    return once ?? question.options.find(isChosen);
  }

  /**
   * An `always` option from the agent covers exactly the targets it was chosen for, because the agent
   * describes its scope only in prose. The client's own `always` options cover the whole kind, as their
   * names say.
   */
  #remember(
    scope: GateScope,
    question: JudgedRequest,
    located: LocatedTargets,
    choice: PermissionChoice,
    decision: PermissionDecision,
  ): void {
    if (choice.kind !== "allow_always" && choice.kind !== "reject_always") return;
    const sticky = optionOf(decision)?.remember ?? this.#sticky;
    if (sticky !== "session" && sticky !== "agent") return;
    this.#memory.remember(sticky, scope.session, {
      ...located,
      allow: choice.kind === "allow_always",
      wholeKind: question.subject.type !== "tool_call",
      optionId: choice.optionId,
    });
  }

  #isGranted(session: GateSession, located: LocatedTargets): boolean {
    return this.#memory.useGrant(session.id, located, (id) => {
      const call = session.toolCall(id);
      return call !== undefined && !isFinished(call.status);
    });
  }

  #logDecision(
    scope: GateScope,
    question: JudgedRequest,
    by: string,
    choice: PermissionChoice | undefined,
  ): void {
    log(this.#logger, "info", "permission", {
      sessionId: scope.session.id,
      kind: question.kind,
      subject: question.subject.type,
      by,
      outcome: choice?.kind ?? "cancelled",
    });
  }
}

type OptionDecision = Extract<PermissionDecision, { readonly optionId: string }>;

function optionOf(decision: PermissionDecision | undefined): OptionDecision | undefined {
  return typeof decision === "object" && "optionId" in decision ? decision : undefined;
}

function reasonOf(decision: PermissionDecision | undefined): string | undefined {
  return typeof decision === "object" && "message" in decision ? decision.message : undefined;
}

/** The `_meta` of an outcome. ACP has no field for the reason of a denial. */
function metaFor(decision: PermissionDecision | undefined): Meta | undefined {
  const message = reasonOf(decision);
  return message === undefined ? optionOf(decision)?.meta : { [MESSAGE_META]: message };
}

const MESSAGE_META = "dragoman/message";

/**
 * Pure: every policy but `all` allows only work on paths inside the session's roots, apart from reads
 * if the host lets them leave the workspace.
 */
function policyAllows({ kind, targets }: JudgedRequest, { access }: GateSession): boolean {
  const { policy } = access.decider;
  if (policy === undefined || PERMISSION_TABLE[policy][kind] !== "allow") return false;
  if (policy === "all" || isInside(targets)) return true;
  return PERMISSION_CLASSES[kind] === "read" && access.workspace.readsOutside;
}

function isCancelled({ signals }: GateScope): boolean {
  return signals.some((signal) => signal.aborted);
}

/**
 * Merges the tool call of the request into its known state, and returns the result. Agents of v2 also ask
 * about commands and other things; the tool call then stands for those, and is not part of the session.
 */
function mergedToolCall(
  session: GateSession,
  { toolCall, title, subject }: ParamsOf["session/request_permission"],
): ToolCallState | undefined {
  const patch = toToolCallPatch(toolCall);
  if (!patch) return undefined;
  const isAboutCall = isJsonObject(subject) ? subject["type"] === "tool_call" : title === undefined;
  if (!isAboutCall) return mergeToolCall(undefined, patch);
  session.noteToolCall(patch);
  return session.toolCall(patch.toolCallId) ?? mergeToolCall(undefined, patch);
}

/** With duplicate ids, the answer to the agent would not say which option was chosen. */
function hasDuplicateIds(options: readonly PermissionChoice[]): boolean {
  return new Set(options.map(({ optionId }) => optionId)).size < options.length;
}
