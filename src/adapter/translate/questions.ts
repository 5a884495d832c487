/** Droid's questions to the user as ACP's forms or choices, and the answers back. Pure and total. */
import type { ElicitationSchema, PermissionOption } from "../../acp/index.ts";
import type { AskUserAnswer, AskUserRequest, AskUserQuestion } from "../../droid/index.ts";

/** What Droid is told where the user gave no answer to one of several questions. */
const NO_ANSWER = "(no answer)";

const SKIP = "skip";

/** One form for all questions. The options are suggestions: another text is an answer too. */
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
        title: `${label}: another answer`,
        description: "In place of the options above.",
      };
    }
  }
  const message = request.questions.map(({ question }) => question).join("\n");
  return {
    message: message === "" ? "Droid has a question" : message,
    schema: { type: "object", properties, required },
  };
}

/** The answers in a form that was filled in; the user's own words go before an option. */
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

/** The choices of one question, for clients without forms. */
export function questionChoices({ options }: AskUserQuestion): readonly PermissionOption[] {
  const choices = options.map((option, index): PermissionOption => ({
    optionId: `option-${index}`,
    name: option,
    kind: "allow_once",
  }));
  // There is no way to write a text there; the model is told so and can ask in its answer.
  const name = options.length === 0 ? "Go on; I will answer in a message" : "None of these";
  return [...choices, { optionId: SKIP, name, kind: "reject_once" }];
}

/** The answer a choice stands for. */
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
