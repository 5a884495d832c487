import {
  isFinished,
  mergeToolCall,
  type ParamsOf,
  type PermissionChoice,
  type PermissionOutcome,
  type ToolCallState,
  type ToolKind,
  toPermissionChoices,
  toToolCallPatch,
} from "../../../acp/index.ts";
import { log, type Logger } from "../../../wire/index.ts";
import { InvalidArgumentError } from "../../errors.ts";
import type { GateSession } from "../contract.ts";
import { cancelledError, deniedError } from "../errors.ts";
import type { Jail } from "../jail/jail.ts";
import { untilAborted } from "../until-aborted.ts";
import { PermissionMemory, type LocatedCommand, type LocatedTargets } from "./memory.ts";
import {
  allows,
  chooseOption,
  isDecision,
  OWN_OPTIONS,
  type PermissionDecision,
  type PermissionFunction,
  type PermissionRequest,
  type Permissions,
  type StickyScope,
} from "./policy.ts";
import type { RequestedWork } from "./subject.ts";
import { PERMISSION_TABLE, POLICY_NAMES, type PolicyName } from "./table.ts";
import {
  coveredTargets,
  type PermissionTargets,
  targetsOf,
  targetsOfWork,
  weightOfEnv,
} from "./targets.ts";

export interface JudgeOptions {
  readonly permissions: Permissions;
  readonly sticky: StickyScope;
  readonly logger: Logger | undefined;
}

/** A session, its bounds, and the signals after which an answer is of no use. */
export interface GateScope {
  readonly session: GateSession;
  readonly jail: Jail;
  readonly signals: readonly AbortSignal[];
}

/** What is decided about: the request without what the judge adds. */
type PermissionCase = Omit<PermissionRequest, "signal" | "session">;

type JudgeVerdict =
  | { readonly by: "policy" | "memory" | "function"; readonly choice: PermissionChoice | undefined }
  | { readonly by: "cancel"; readonly choice: undefined };

const CANCELLED: JudgeVerdict = { by: "cancel", choice: undefined };

/** Decides what an agent may do, by the host's policy and by what was decided before. */
export class PermissionJudge {
  readonly #policy: PolicyName | undefined;
  readonly #ask: PermissionFunction | undefined;
  readonly #sticky: StickyScope;
  readonly #logger: Logger | undefined;
  readonly #memory = new PermissionMemory();

  constructor({ permissions, sticky, logger }: JudgeOptions) {
    this.#sticky = sticky;
    this.#logger = logger;
    const { policy, ask } = partsOf(permissions);
    if (policy !== undefined && !POLICY_NAMES.includes(policy)) {
      throw new InvalidArgumentError(`there is no permission policy "${policy}"`);
    }
    if (policy === undefined && typeof ask !== "function") {
      throw new InvalidArgumentError("permissions must name a policy or be a function");
    }
    this.#policy = policy;
    this.#ask = ask;
  }

  /** Answers `session/request_permission`. Never rejects: what fails is refused. */
  async answer(
    scope: GateScope,
    params: ParamsOf["session/request_permission"],
  ): Promise<PermissionOutcome> {
    // Before anything is awaited: the request stands in wire order among the updates.
    const toolCall = noted(scope.session, params.toolCall);
    if (!toolCall) return { outcome: "cancelled" };
    const { kind } = toolCall;
    const [root = "/"] = scope.session.roots;
    const targets = targetsOf(toolCall, root);
    // Only decisions of the `ask` function are remembered, and only those need real paths.
    const touched = this.#ask
      ? await located(scope, kind, coveredTargets(toolCall, targets, root))
      : { kind, places: [], commands: [] };
    const options = toPermissionChoices(params.options);
    const subject = { type: "tool_call" } as const;
    const asked: PermissionCase = { kind, subject, targets, toolCall, options };
    const { by, choice } = await this.#decide(scope, asked, touched);
    if (by !== "policy" && allows(choice)) {
      this.#memory.grant(scope.session.id, toolCall.toolCallId, touched);
    }
    this.#note(scope, asked, by, choice);
    return choice ? { outcome: "selected", optionId: choice.optionId } : { outcome: "cancelled" };
  }

  /**
   * Lets work through that an agent asks the client to do, whether or not it asked for permission
   * first. Rejects with an RpcError: permission denied, or request cancelled.
   */
  async permit(scope: GateScope, subject: RequestedWork): Promise<void> {
    const { session } = scope;
    const targets = targetsOfWork(subject);
    const touched = locatedWork(subject, targets);
    const { kind } = touched;
    const options = OWN_OPTIONS;
    const asked: PermissionCase = { kind, subject, targets, toolCall: undefined, options };
    if (!isCancelled(scope) && this.#isGranted(session, touched)) return;
    const { by, choice } = await this.#decide(scope, asked, touched);
    this.#note(scope, asked, by, choice);
    if (by === "cancel") throw cancelledError();
    if (!allows(choice)) throw deniedError(kind);
  }

  forget(sessionId: string): void {
    this.#memory.forget(sessionId);
  }

  async #decide(
    scope: GateScope,
    asked: PermissionCase,
    touched: LocatedTargets,
  ): Promise<JudgeVerdict> {
    // The turn is cancelled but not over: whoever pressed stop wants nothing more done.
    if (isCancelled(scope)) return CANCELLED;
    const { options } = asked;
    const verdict = this.#policy && PERMISSION_TABLE[this.#policy][asked.kind];
    if (verdict === "allow") return { by: "policy", choice: chooseOption("allow", options) };
    const ask = this.#ask;
    if (!ask) return { by: "policy", choice: chooseOption("deny", options) };
    const remembered = this.#recall(scope, asked, touched);
    if (remembered) return { by: "memory", choice: remembered };
    const decision = await this.#askPerson(ask, asked, scope);
    if (decision === undefined) return CANCELLED;
    const choice = chooseOption(decision, options);
    if (choice) this.#remember(scope, asked, touched, choice, decision);
    return { by: "function", choice };
  }

  /**
   * A function that fails, or that answers nonsense, has refused. Undefined when an answer is of no
   * use any more, whether or not the function ever returns.
   */
  #askPerson(
    ask: PermissionFunction,
    asked: PermissionCase,
    { session, signals }: GateScope,
  ): Promise<PermissionDecision | undefined> {
    const { id, roots } = session;
    return session.asking(async () => {
      try {
        const outcome = await untilAborted(signals, async (signal): Promise<unknown> =>
          ask({ ...asked, session: { id, roots }, signal }),
        );
        if (outcome.aborted) return undefined;
        if (isDecision(outcome.value)) return outcome.value;
        log(this.#logger, "error", "the permission function gave no decision");
      } catch (error) {
        log(this.#logger, "error", "the permission function failed", { error });
      }
      return "deny";
    });
  }

  #recall(
    scope: GateScope,
    asked: PermissionCase,
    touched: LocatedTargets,
  ): PermissionChoice | undefined {
    const rule = this.#memory.recall(scope.session.id, touched);
    if (!rule) return undefined;
    const once = chooseOption(rule.allow ? "allow" : "deny", asked.options);
    // The kind as well: an agent could give the id of a rejection to an allowance.
    const always = rule.allow ? "allow_always" : "reject_always";
    const isIt = (option: PermissionChoice): boolean =>
      option.kind === always && option.optionId === rule.optionId;
    return once ?? asked.options.find(isIt);
  }

  /**
   * An `always` of the agent's own stays with exactly what it was chosen for: how far the agent
   * means it is said in prose only. An `always` of ours covers its kind, as its name says.
   */
  #remember(
    scope: GateScope,
    asked: PermissionCase,
    touched: LocatedTargets,
    choice: PermissionChoice,
    decision: PermissionDecision,
  ): void {
    if (choice.kind !== "allow_always" && choice.kind !== "reject_always") return;
    const reach = (typeof decision === "object" ? decision.remember : undefined) ?? this.#sticky;
    if (reach !== "session" && reach !== "agent") return;
    this.#memory.remember(reach, scope.session.id, {
      ...touched,
      allow: choice.kind === "allow_always",
      wholeKind: asked.subject.type !== "tool_call",
      optionId: choice.optionId,
    });
  }

  #isGranted(session: GateSession, touched: LocatedTargets): boolean {
    return this.#memory.useGrant(session.id, touched, (id) => {
      const call = session.toolCall(id);
      return call !== undefined && !isFinished(call.status);
    });
  }

  #note(
    scope: GateScope,
    asked: PermissionCase,
    by: string,
    choice: PermissionChoice | undefined,
  ): void {
    log(this.#logger, "info", "permission", {
      sessionId: scope.session.id,
      kind: asked.kind,
      subject: asked.subject.type,
      by,
      outcome: choice?.kind ?? "cancelled",
    });
  }
}

function partsOf(permissions: Permissions): {
  readonly policy?: PolicyName;
  readonly ask?: PermissionFunction;
} {
  if (typeof permissions === "string") return { policy: permissions };
  return typeof permissions === "function" ? { ask: permissions } : permissions;
}

function isCancelled({ signals }: GateScope): boolean {
  return signals.some((signal) => signal.aborted);
}

/** Merges what the request says of its tool call into what is known, and gives the whole. */
function noted(session: GateSession, raw: unknown): ToolCallState | undefined {
  const patch = toToolCallPatch(raw);
  if (!patch) return undefined;
  session.noteToolCall(patch);
  return session.toolCall(patch.toolCallId) ?? mergeToolCall(undefined, patch);
}

/** The targets of a tool call, with links resolved. */
async function located(
  { session, jail }: GateScope,
  kind: ToolKind,
  targets: PermissionTargets,
): Promise<LocatedTargets> {
  const [root = "/"] = session.roots;
  // A path outside the jail still counts as a target, under a name that no real path has.
  const locate = (path: string): Promise<string> =>
    jail.locate(path, "read").catch(() => `\0${path}`);
  const places: string[] = [];
  for (const path of targets.paths) places.push(await locate(path));
  const commands: LocatedCommand[] = [];
  for (const command of targets.commands) {
    commands.push({ ...command, cwd: await locate(command.cwd ?? root), env: "" });
  }
  return { kind, places, commands };
}

/** The targets of requested work. The gate has resolved its paths already. */
function locatedWork(work: RequestedWork, { paths, commands }: PermissionTargets): LocatedTargets {
  const env = work.type === "terminal" ? weightOfEnv(work.env) : "";
  const cwd = work.type === "terminal" ? work.cwd : "";
  return {
    kind: WORK_KINDS[work.type],
    places: paths,
    commands: commands.map((command) => ({ ...command, cwd, env })),
  };
}

/** The tool kind that requested work amounts to. */
const WORK_KINDS: Readonly<Record<RequestedWork["type"], ToolKind>> = {
  read_file: "read",
  write_file: "edit",
  terminal: "execute",
};
