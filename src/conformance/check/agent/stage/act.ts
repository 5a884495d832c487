import {
  text,
  type PlannedStep,
  type ReceivedTool,
  type ScriptedTools,
  type ScriptEntry,
  type Step,
} from "../../../model/index.ts";
import { fillPrompt, type Prompts } from "./prompts.ts";
import { pickTools, type FoundTools } from "./tools.ts";

/** Something that an agent does in a turn. */
export type Act =
  | { readonly tool: "read"; readonly path: string }
  | { readonly tool: "write"; readonly path: string; readonly content: string }
  | { readonly tool: "shell"; readonly command: string }
  | { readonly tool: "plan"; readonly entries: readonly PlannedStep[] };

/** How people call the tool of an act. */
const TOOL_WORDS: Readonly<Record<Act["tool"], string>> = {
  read: "to read files",
  write: "to write files",
  shell: "to run commands",
  plan: "to plan",
};

export function missingTool(tool: Act["tool"]): string {
  return `the agent offers its model no known tool ${TOOL_WORDS[tool]}`;
}

/**
 * The steps of the model that make the agent do something. The tools of an agent without a recipe are
 * picked from those that it offers when it calls the model; `onMissing` is called if there is none.
 */
export function stepsFor(
  act: Act,
  known: ScriptedTools | undefined,
  onMissing: () => void,
): readonly ScriptEntry[] {
  if (known) return stepsWith(act, known) ?? [];
  const pick = ({ tools }: { readonly tools: readonly ReceivedTool[] }): Step => {
    const [step] = stepsWith(act, pickTools(tools)) ?? [];
    if (step === undefined) onMissing();
    return step ?? text("There is no such tool.");
  };
  return [pick];
}

function stepsWith(act: Act, tools: FoundTools): readonly Step[] | undefined {
  switch (act.tool) {
    case "read":
      return one(tools.read?.(act.path));
    case "write":
      return one(tools.write?.(act.path, act.content));
    case "shell":
      return one(tools.shell?.(act.command));
    case "plan":
      return tools.plan?.(act.entries);
  }
}

function one(step: Step | undefined): readonly Step[] | undefined {
  return step && [step];
}

/** The prompt that makes an agent without a model do something; undefined if the user gave none. */
export function promptFor(act: Act, prompts: Prompts): string | undefined {
  const fill = (prompt: string | undefined, values: Readonly<Record<string, string>>) =>
    prompt === undefined ? undefined : fillPrompt(prompt, values);
  switch (act.tool) {
    case "read":
      return fill(prompts.read, { file: act.path });
    case "write":
      return fill(prompts.write, { file: act.path, text: act.content });
    case "shell":
      return fill(prompts.run, { command: act.command });
    case "plan":
      return undefined;
  }
}
