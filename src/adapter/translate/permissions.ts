/** Droid's questions for leave as ACP's, and the answers back. Pure and total. */
import type { PermissionOption, PermissionOptionKind, ToolCallContent } from "../../acp/index.ts";
import type {
  DroidPermissionAnswer,
  DroidPermissionOption as DroidOption,
  DroidPermissionRequest,
  PermissionToolUse,
} from "../../droid/index.ts";
import { diffContent, type FileChange } from "./diffs.ts";
import { textContent, verbatim } from "./tool-content.ts";

const CANCEL = "cancel";
const PLAN_CHOICE = "proceed_once#";

/**
 * The kind of one of Droid's options. One that is not known and does not say that it goes on is a
 * refusal: nothing is allowed by mistake.
 */
export function optionKind(value: string): PermissionOptionKind {
  if (value.startsWith("proceed_always") || value.startsWith("proceed_auto_run"))
    return "allow_always";
  return value.startsWith("proceed") ? "allow_once" : "reject_once";
}

/** Options that continue in a session of another id, which the client would know nothing of. */
function switchesSession({ value }: DroidOption): boolean {
  return value.startsWith("proceed_new_session");
}

/** The choices of a request, as Droid names them; there is always one that refuses. */
export function permissionOptions(request: DroidPermissionRequest): readonly PermissionOption[] {
  const offered = request.options.filter(
    (option) => option.value !== "" && !switchesSession(option),
  );
  const options = offered.flatMap((option) => [
    ...planChoices(request, option),
    { optionId: option.value, name: option.label, kind: optionKind(option.value) },
  ]);
  if (options.some(({ kind }) => kind === "reject_once")) return options;
  return [...options, { optionId: CANCEL, name: "No, cancel", kind: "reject_once" }];
}

/** Where the model offers several plans (0.99, 0.117), each of them can be chosen. */
function planChoices(
  request: DroidPermissionRequest,
  { value }: DroidOption,
): readonly PermissionOption[] {
  if (value !== "proceed_once") return [];
  return plansOf(request).map((name, index) => ({
    optionId: `${PLAN_CHOICE}${index}`,
    name: `Proceed with: ${name}`,
    kind: "allow_once",
  }));
}

function plansOf({ toolUses }: DroidPermissionRequest): readonly string[] {
  const details = toolUses.length === 1 ? toolUses[0]?.details : undefined;
  if (details?.kind !== "exit_spec_mode" || details.optionNames.length < 2) return [];
  return details.optionNames;
}

/** The answer that Droid gets for a choice; whatever was not offered refuses. */
export function permissionAnswer(
  request: DroidPermissionRequest,
  optionId: string,
): DroidPermissionAnswer {
  if (optionId.startsWith(PLAN_CHOICE)) {
    const plan = plansOf(request)[Number(optionId.slice(PLAN_CHOICE.length))];
    return plan === undefined
      ? CANCEL
      : { option: "proceed_once", comment: `Proceed with: ${plan}` };
  }
  const isOffered = request.options.some(
    (option) => option.value === optionId && !switchesSession(option),
  );
  return isOffered ? optionId : CANCEL;
}

/** What a step is about, for the one who has to decide. */
export function stepContent(
  { details }: PermissionToolUse,
  changes: readonly FileChange[],
): readonly ToolCallContent[] {
  switch (details.kind) {
    case "exec":
      return [
        verbatim(details.fullCommand, "sh"),
        ...(details.riskLevelReason === undefined
          ? []
          : [textContent(risk(details.impactLevel, details.riskLevelReason))]),
      ];
    case "exit_spec_mode":
      return details.plan === "" ? [] : [textContent(details.plan)];
    case "apply_patch":
      return changes.length > 0 ? diffContent(changes) : [verbatim(details.patch, "diff")];
    case "create":
    case "edit":
      return diffContent(changes);
    case "mcp_tool":
    case "unknown":
      return [];
  }
}

function risk(impact: string | undefined, reason: string): string {
  return impact === undefined ? reason : `Impact: ${impact}. ${reason}`;
}

/** One step among several that a single answer decides. */
export interface PermissionStep {
  readonly title: string;
  readonly content: readonly ToolCallContent[];
  /** Shown where there is nothing better to show. */
  readonly input: unknown;
}

/** All steps of a request in the content of one tool call: ACP asks about one, Droid about all. */
export function allSteps(steps: readonly PermissionStep[]): readonly ToolCallContent[] {
  if (steps.length === 1) return steps[0]?.content ?? [];
  return steps.flatMap(({ title, content, input }, index) => [
    textContent(`**${index + 1}. ${title}**`),
    ...(content.length > 0 ? content : [verbatim(JSON.stringify(input, null, 2), "json")]),
  ]);
}
