import { type PermissionPolicy, type PolicyDecision, decideByFlags } from "./policy.ts";
import type { PermissionChoice } from "../../../protocol/acp/index.ts";
import { describeRuleQuery, queryOf } from "../../../client/rules/index.ts";
import { chooseOption, type PermissionRequest } from "../../../client/index.ts";
import type { PermissionDecision } from "../../../protocol/acp/index.ts";
import { definedFields } from "../../../base/index.ts";
import type { PermissionFacts } from "../render/renderer.ts";
import type { SelectedAgent } from "../agents/select.ts";
import type { DiffText } from "../render/text/diff-colors.ts";
import type { Context } from "../context/context.ts";

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
    const verdict = decideByFlags(query, policy);
    await this.#options.ready(request);
    const outcome =
      verdict.decision === "ask" ? await this.#ask(request) : outcomeOf(verdict, request);
    const { question, description, toolCall, kind } = request;
    const facts: PermissionFacts = {
      toolCallId: toolCall?.toolCallId,
      ...definedFields({ question, description }),
      what: describeRuleQuery(query),
      kind,
      ...outcome,
    };
    if (facts.outcome !== "allowed") this.#listDenied(facts);
    this.#options.report(facts);
    if (verdict.decision !== "ask") return verdict.decision;
    return outcome.optionId === undefined ? "cancel" : { optionId: outcome.optionId };
  };

  async #ask(request: PermissionRequest): Promise<Outcome> {
    const chosen = await this.#options.ask(request);
    const allowed = chosen?.kind === "allow_once" || chosen?.kind === "allow_always";
    const outcome = chosen === undefined ? "cancelled" : allowed ? "allowed" : "denied";
    return { outcome, by: "user", optionId: chosen?.optionId, hint: undefined };
  }

  /** Lists the first denials only: an agent may ask any number of times. */
  #listDenied(facts: PermissionFacts): void {
    const { length } = this.denied;
    const chars = this.denied.reduce((sum, { what }) => sum + what.length, facts.what.length);
    if (length < LISTED_DENIALS && (length === 0 || chars <= LISTED_DENIAL_CHARS))
      this.denied.push(facts);
  }
}

const LISTED_DENIALS = 1000;

const LISTED_DENIAL_CHARS = 1024 * 1024;

type Outcome = Pick<PermissionFacts, "outcome" | "by" | "optionId" | "hint">;

function outcomeOf(
  { decision, by, hint }: PolicyDecision,
  { options }: PermissionRequest,
): Outcome {
  if (decision !== "allow")
    return { outcome: "denied", by, optionId: chooseOption("deny", options)?.optionId, hint };
  const option = chooseOption("allow", options);
  if (option !== undefined) return { outcome: "allowed", by, optionId: option.optionId, hint };
  const why = "the agent offers no option to allow it once";
  return { outcome: "cancelled", by, optionId: undefined, hint: why };
}

/**
 * Shows everything that a request refers to: the updates before it, and the change that it asks for, which
 * some agents send only with the request. Never rejects.
 */
export async function showPermissionSubject(
  { shown, renderer }: Context,
  { toolCall, signal }: PermissionRequest,
): Promise<void> {
  await shown.caughtUp(signal);
  if (toolCall !== undefined && !signal.aborted) await renderer.toolCall?.(toolCall);
}

/** Lets the user choose an option; undefined if the user chose none. */
export async function promptUser(
  { asker, style, renderer, clock, io, preferences }: Context,
  agent: SelectedAgent,
  request: PermissionRequest,
): Promise<PermissionChoice | undefined> {
  if (asker === undefined) return undefined;
  const [{ askPermission }, { showInPager }] = await Promise.all([
    import("./question.ts"),
    import("../tty/pager.ts"),
  ]);
  const display = {
    agent: agent.name,
    style,
    hasShown: (diff: DiffText): boolean => renderer.hasShown?.(diff) === true,
    page: (text: string, signal: AbortSignal) => showInPager({ io, preferences }, text, signal),
  };
  return clock.asking(() => askPermission(asker, request, display));
}
