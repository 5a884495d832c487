import {
  PERMISSION_CLASSES,
  type PermissionClass,
  type PermissionChoice,
} from "../../../protocol/acp/index.ts";
import {
  applyRules,
  type PermissionRule,
  type Query,
  describeQuery,
  queryOf,
} from "../../../client/rules/index.ts";
import {
  chooseOption,
  type PermissionDecision,
  type PermissionRequest,
} from "../../../client/index.ts";
import { definedFields } from "../../../base/index.ts";
import type { PermissionFacts } from "../render/renderer.ts";

/** The permissions that the flags grant. In a chat, `/permissions` changes them. */
export interface FlagGrants {
  write: boolean;
  exec: boolean;
  yolo: boolean;
}

export interface PermissionPolicy {
  readonly grants: FlagGrants;
  readonly rules: readonly PermissionRule[];
  /** Whether the user can be asked. */
  readonly canAsk: boolean;
}

/** A decision and its reason. */
export interface PolicyDecision {
  readonly decision: "allow" | "deny" | "ask";
  readonly by: "flag" | "rule" | "default";
  /** The flag that would have allowed it, or the reason why none would. Set only for a denial. */
  readonly hint: string | undefined;
}

/**
 * The flag that allows each class of tools inside the session's roots; undefined for a class that
 * needs none. Outside the roots, only `--yolo` allows anything.
 */
const FLAG_FOR: Readonly<Record<PermissionClass, "--write" | "--exec" | "--yolo" | undefined>> = {
  read: undefined,
  write: "--write",
  execute: "--exec",
  other: "--yolo",
};

/**
 * Decides about a request from the agent: first by the rules, then by the flags. The user is asked
 * about the rest. If that is not possible, only reading is allowed.
 */
export function decide(query: Query, policy: PermissionPolicy): PolicyDecision {
  const answer = applyRules(policy.rules, query);
  const undecided = policy.canAsk ? "ask" : "deny";
  if (answer !== undefined) {
    const decision = answer.decision === "ask" ? undecided : answer.decision;
    const rule = `rule ${answer.rule.number} of --permissions`;
    const why =
      answer.decision === "ask"
        ? `${rule} requires asking, which is not possible here`
        : `${rule} denies it`;
    return { decision, by: "rule", hint: decision === "deny" ? why : undefined };
  }
  const flag = query.isInside ? FLAG_FOR[PERMISSION_CLASSES[query.kind]] : "--yolo";
  const { yolo, write, exec } = policy.grants;
  if (yolo || (flag === "--write" && write) || (flag === "--exec" && exec)) {
    return { decision: "allow", by: "flag", hint: undefined };
  }
  if (policy.canAsk) return { decision: "ask", by: "default", hint: undefined };
  if (flag === undefined) return { decision: "allow", by: "default", hint: undefined };
  return { decision: "deny", by: "default", hint: flag };
}

export interface PermissionPrompterOptions {
  readonly policy: PermissionPolicy;
  /** Resolves when everything that the request refers to is on the screen. Never rejects. */
  readonly ready: (request: PermissionRequest) => Promise<void>;
  /** Lets the user choose one of the options; undefined if the user chose none. */
  readonly ask: (request: PermissionRequest) => Promise<PermissionChoice | undefined>;
  /** Called with every decision, except for reads that are silently allowed. */
  readonly report: (facts: PermissionFacts) => void;
}

/** Answers the agent's requests for permission, and remembers which were denied. */
export class PermissionPrompter {
  readonly denied: PermissionFacts[] = [];
  readonly #options: PermissionPrompterOptions;

  constructor(options: PermissionPrompterOptions) {
    this.#options = options;
  }

  /** The permission handler for the client library. */
  readonly answer = async (request: PermissionRequest): Promise<PermissionDecision> => {
    const query = queryOf(request);
    // Agents read files of the workspace all the time: silently allowed unless there are rules.
    const { policy } = this.#options;
    const quiet = request.subject.type === "read_file" && policy.rules.length === 0;
    if (quiet) return "allow";
    const verdict = decide(query, policy);
    await this.#options.ready(request);
    if (verdict.decision === "ask") return this.#askUser(request, query);
    this.#report(request, query, verdict);
    return verdict.decision;
  };

  async #askUser(request: PermissionRequest, query: Query): Promise<PermissionDecision> {
    const chosen = await this.#options.ask(request);
    const optionId = chosen?.optionId;
    const allowed = chosen?.kind === "allow_once" || chosen?.kind === "allow_always";
    const outcome = chosen === undefined ? "cancelled" : allowed ? "allowed" : "denied";
    this.#record({
      ...this.#facts(request, query),
      outcome,
      by: "user",
      optionId,
      hint: undefined,
    });
    return optionId === undefined ? "cancel" : { optionId };
  }

  #report(request: PermissionRequest, query: Query, { decision, by, hint }: PolicyDecision): void {
    if (decision === "ask") return;
    const option = chooseOption(decision, request.options);
    // It is allowed, but the agent offers no option that allows it only once.
    const lacking = decision === "allow" && option === undefined;
    this.#record({
      ...this.#facts(request, query),
      outcome: lacking ? "cancelled" : decision === "allow" ? "allowed" : "denied",
      by,
      optionId: option?.optionId,
      hint: lacking ? "the agent offers no option to allow it once" : hint,
    });
  }

  #facts(
    request: PermissionRequest,
    query: Query,
  ): Pick<PermissionFacts, "toolCallId" | "what" | "question" | "description" | "kind"> {
    const { question, description } = request;
    return {
      toolCallId: request.toolCall?.toolCallId,
      ...definedFields({ question, description }),
      what: describeQuery(query),
      kind: request.kind,
    };
  }

  #record(facts: PermissionFacts): void {
    if (facts.outcome !== "allowed") this.denied.push(facts);
    this.#options.report(facts);
  }
}
