import {
  chooseOption,
  type PermissionDecision,
  type PermissionRequest,
} from "../../client/index.ts";
import type { PermissionFacts } from "../render/renderer.ts";
import { decide, describeQuery, type PolicyDecision, type PermissionPolicy } from "./policy.ts";
import { queryOf, type Query } from "./query.ts";

export interface PermissionPrompterOptions {
  readonly policy: PermissionPolicy;
  /** Lets a person choose one of the options; undefined when nobody did. */
  readonly ask: (request: PermissionRequest) => Promise<string | undefined>;
  /** Told of every decision. */
  readonly report: (facts: PermissionFacts) => void;
}

/** Answers the agent's requests for permission, and remembers what was refused. */
export class PermissionPrompter {
  readonly denied: PermissionFacts[] = [];
  readonly #options: PermissionPrompterOptions;

  constructor(options: PermissionPrompterOptions) {
    this.#options = options;
  }

  /** The function the client library asks. */
  readonly answer = async (request: PermissionRequest): Promise<PermissionDecision> => {
    const query = queryOf(request);
    // Reading a file of the workspace is what agents are for: only a rule speaks about it.
    const { policy } = this.#options;
    const quiet = request.subject.type === "read_file" && policy.rules.length === 0;
    const verdict = quiet ? ALLOWED : decide(query, policy);
    if (verdict.decision === "ask") return this.#askPerson(request, query);
    if (!quiet) this.#report(request, query, verdict);
    return verdict.decision;
  };

  async #askPerson(request: PermissionRequest, query: Query): Promise<PermissionDecision> {
    const optionId = await this.#options.ask(request);
    const chosen = request.options.find((option) => option.optionId === optionId);
    const allowed = chosen?.kind.startsWith("allow") === true;
    const outcome = chosen === undefined ? "cancelled" : allowed ? "allowed" : "denied";
    this.#note({ ...this.#facts(request, query), outcome, by: "user", optionId, hint: undefined });
    return optionId === undefined ? "cancel" : { optionId };
  }

  #report(request: PermissionRequest, query: Query, { decision, by, hint }: PolicyDecision): void {
    if (decision === "ask") return;
    const option = chooseOption(decision, request.options);
    // Allowed by a flag, but the agent offers nothing that is for this once.
    const lacking = decision === "allow" && option === undefined;
    this.#note({
      ...this.#facts(request, query),
      outcome: lacking ? "cancelled" : decision === "allow" ? "allowed" : "denied",
      by,
      optionId: option?.optionId,
      hint: lacking ? "the agent offers no way to allow it once" : hint,
    });
  }

  #facts(
    request: PermissionRequest,
    query: Query,
  ): Pick<PermissionFacts, "toolCallId" | "what" | "kind"> {
    return {
      toolCallId: request.toolCall?.toolCallId,
      what: describeQuery(query),
      kind: request.kind,
    };
  }

  #note(facts: PermissionFacts): void {
    if (facts.outcome !== "allowed") this.denied.push(facts);
    this.#options.report(facts);
  }
}

const ALLOWED: PolicyDecision = { decision: "allow", by: "default", hint: undefined };
