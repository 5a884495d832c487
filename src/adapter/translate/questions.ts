/** Translates Droid's questions to ACP forms or choices, and the answers back. Pure and total. */
import type { ElicitationSchema, PermissionOption } from "../../acp/index.ts";
import type { AskUserAnswer, AskUserRequest, AskUserQuestion } from "../../droid/index.ts";

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

/** The answer for a chosen option. */
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
