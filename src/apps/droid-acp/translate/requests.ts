/** Translates Droid's permission requests and questions to ACP, and the answers back. Pure and total. */
import type {
  PermissionOption,
  ToolCallContent,
  ElicitationSchema,
} from "../../../protocol/acp/index.ts";
import {
  type AskUserAnswer,
  type AskUserQuestion,
  type AskUserRequest,
  type DroidPermissionAnswer,
  type DroidPermissionOption as DroidOption,
  type DroidPermissionRequest,
  permissionOptionKind,
  type PermissionToolUse,
  switchesSession,
} from "../../../droid/index.ts";
import { diffContent, type FileChange } from "./diffs.ts";
import { textContent, verbatim } from "./tool-results.ts";

const CANCEL = "cancel";
const PLAN_CHOICE = "proceed_once#";

/** The options of a request, with labels from Droid. At least one of them denies. */
export function permissionOptions(request: DroidPermissionRequest): readonly PermissionOption[] {
  const offered = request.options.filter(
    (option) => option.value !== "" && !switchesSession(option.value),
  );
  const options = offered.flatMap((option) => [
    ...planChoices(request, option),
    { optionId: option.value, name: option.label, kind: permissionOptionKind(option.value) },
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
    (option) => option.value === optionId && !switchesSession(option.value),
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

/** Sent to Droid for a question that the user did not answer. */
const NO_ANSWER = "(no answer)";

const SKIP = "skip";

/** One form for all questions. Options are suggestions: the user may also enter other text. */
export function questionForm(request: AskUserRequest): {
  readonly message: string;
  readonly schema: ElicitationSchema;
} {
  const properties: NonNullable<ElicitationSchema["properties"]> = {};
  const required: string[] = [];
  for (const [position, question] of request.questions.entries()) {
    const key = fieldOf(position);
    const label = question.topic ?? `Question ${position + 1}`;
    const description = question.question;
    if (question.options.length === 0) {
      properties[key] = { type: "string", title: label, description };
      required.push(key);
    } else {
      const oneOf = question.options.map((option) => ({ const: option, title: option }));
      properties[key] = { type: "string", title: label, description, oneOf };
      properties[otherFieldOf(position)] = {
        type: "string",
        title: `${label}: other answer`,
        description: "Instead of the options above.",
      };
    }
  }
  const message = request.questions.map(({ question }) => question).join("\n");
  return {
    message: message === "" ? "Droid has a question" : message,
    schema: { type: "object", properties, required },
  };
}

/** The answers from a completed form. The user's own text takes precedence over an option. */
export function formAnswers(
  request: AskUserRequest,
  content: Readonly<Record<string, unknown>>,
): AskUserAnswer {
  return request.questions.map(({ index }, position) => {
    const own = content[otherFieldOf(position)];
    const chosen = content[fieldOf(position)];
    const answer = [own, chosen].find(
      (value): value is string => typeof value === "string" && value.trim() !== "",
    );
    return { index, answer: answer ?? NO_ANSWER };
  });
}

function fieldOf(position: number): string {
  return `answer${position + 1}`;
}

function otherFieldOf(position: number): string {
  return `answer${position + 1}_other`;
}

/** The choices for one question, for clients without forms. */
export function questionChoices({ options }: AskUserQuestion): readonly PermissionOption[] {
  const choices = options.map((option, index): PermissionOption => ({
    optionId: `option-${index}`,
    name: option,
    kind: "allow_once",
  }));
  // Users cannot enter text here. The model gets “no answer” and can ask in its message.
  const name = options.length === 0 ? "Continue; I will answer in a message" : "None of these";
  return [...choices, { optionId: SKIP, name, kind: "reject_once" }];
}

export function choiceAnswer({ options }: AskUserQuestion, optionId: string): string {
  const index = /^option-(\d+)$/.exec(optionId)?.[1];
  const chosen = index === undefined ? undefined : options[Number(index)];
  return chosen ?? NO_ANSWER;
}

/** A question as text, for the tool call it belongs to. */
export function questionText(questions: readonly AskUserQuestion[]): string {
  return questions
    .map(({ topic, question, options }) =>
      [
        topic === undefined ? question : `**${topic}**: ${question}`,
        ...options.map((option) => `- ${option}`),
      ].join("\n"),
    )
    .join("\n\n");
}
