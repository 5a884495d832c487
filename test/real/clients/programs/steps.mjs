// @ts-check
// Shared by the driving programs in JavaScript: they get a task as JSON in their last argument (see
// Task in ../program.ts), do its steps, and print one line for each.

/**
 * @typedef {import("../program.ts").Task} Task
 * @typedef {import("../client.ts").StepResult} StepResult
 * @typedef {import("../client.ts").Step} Step
 * @typedef {Extract<Step, { do: "prompt" }>} PromptStep
 *
 * @typedef {object} Actions
 * @property {() => Promise<StepResult>} open
 * @property {(sessionId: string) => Promise<StepResult>} load
 * @property {(step: PromptStep) => Promise<StepResult>} prompt
 * @property {() => unknown} end
 */

/** @returns {Task} */
export function readTask() {
  return JSON.parse(process.argv.at(-1) ?? "");
}

/**
 * @param {readonly Step[]} steps
 * @param {Actions} actions
 */
export async function doSteps(steps, actions) {
  for (const step of steps) {
    const result = await doStep(step, actions);
    process.stdout.write(`@@step ${JSON.stringify(result)}\n`);
  }
  await actions.end();
}

/**
 * @param {Step} step
 * @param {Actions} actions
 */
function doStep(step, actions) {
  switch (step.do) {
    case "open":
      return actions.open();
    case "load":
      return actions.load(step.sessionId);
    case "prompt":
      return actions.prompt(step);
  }
}

/**
 * The option that allows or denies once.
 * @param {readonly { optionId: string, kind: string }[]} options
 * @param {"allow" | "deny" | undefined} permission
 */
export function chosen(options, permission) {
  const kind = permission === "allow" ? "allow_once" : "reject_once";
  const option = options.find((one) => one.kind === kind);
  if (option) return { outcome: "selected", optionId: option.optionId };
  return { outcome: "cancelled" };
}
