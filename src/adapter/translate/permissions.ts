/** Translates permission requests from Droid to ACP, and the answers back. Pure and total. */
import type { PermissionOption, PermissionOptionKind, ToolCallContent } from "../../acp/index.ts";
import type {
  DroidPermissionAnswer,
  DroidPermissionOption as DroidOption,
  DroidPermissionRequest,
  PermissionToolUse,
} from "../../droid/index.ts";
import { diffContent, type FileChange } from "./diffs.ts";
import { textContent, verbatim } from "./tool-results.ts";

const CANCEL = "cancel";
const PLAN_CHOICE = "proceed_once#";

/**
 * The kind of an option from Droid. An unknown option that does not start with `proceed` denies, so
 * that nothing is allowed by mistake.
 */
export function optionKind(value: string): PermissionOptionKind {
  if (value.startsWith("proceed_always") || value.startsWith("proceed_auto_run"))
    return "allow_always";
  return value.startsWith("proceed") ? "allow_once" : "reject_once";
}

/** Whether an option continues in a session with another id, which the client would not know. */
function switchesSession({ value }: DroidOption): boolean {
  return value.startsWith("proceed_new_session");
}

/** The options of a request, with labels from Droid. At least one of them denies. */
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

/** If the model offers several plans (0.99, 0.117), each plan is an option. */
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

/** The answer to Droid for a chosen option. An option that was not offered denies. */
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

/** Describes what a step will do, so that the user can decide. */
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

/** One of the tool calls that a single permission request covers. */
export interface PermissionStep {
  readonly title: string;
  readonly content: readonly ToolCallContent[];
  /** Shown if `content` is empty. */
  readonly input: unknown;
}

/** All steps of a request in one tool call: ACP asks about one call, Droid about several. */
export function allSteps(steps: readonly PermissionStep[]): readonly ToolCallContent[] {
  if (steps.length === 1) return steps[0]?.content ?? [];
  return steps.flatMap(({ title, content, input }, index) => [
    textContent(`**${index + 1}. ${title}**`),
    ...(content.length > 0 ? content : [verbatim(JSON.stringify(input, null, 2), "json")]),
  ]);
}
