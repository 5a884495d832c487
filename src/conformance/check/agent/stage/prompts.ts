import { isJsonObject } from "../../../../base/index.ts";

/** The things that a prompt can make an agent without a model do. */
export const PROMPT_NAMES = ["write", "read", "run", "ask", "slow"] as const;

export type PromptName = (typeof PROMPT_NAMES)[number];

/** Prompts that make an agent act, with `{file}`, `{text}` and `{command}` in them. */
export type Prompts = Readonly<Partial<Record<PromptName, string>>>;

export class PromptsError extends Error {
  override readonly name = "PromptsError";
}

/** The places that a prompt must have. */
const PLACES: Readonly<Record<PromptName, readonly string[]>> = {
  write: ["{file}", "{text}"],
  read: ["{file}"],
  run: ["{command}"],
  ask: [],
  slow: [],
};

/** Reads the contents of a file of `--prompts`. Throws a PromptsError that names the entry. */
export function parsePrompts(value: unknown): Prompts {
  if (!isJsonObject(value)) throw new PromptsError("the prompts are not a JSON object");
  for (const [name, prompt] of Object.entries(value)) {
    const known = PROMPT_NAMES.find((one) => one === name);
    if (known === undefined)
      throw new PromptsError(`unknown prompt "${name}"; known are ${PROMPT_NAMES.join(", ")}`);
    if (typeof prompt !== "string" || prompt.trim() === "")
      throw new PromptsError(`the prompt "${name}" must be a text`);
    const missing = PLACES[known].find((place) => !prompt.includes(place));
    if (missing !== undefined)
      throw new PromptsError(`the prompt "${name}" must contain ${missing}`);
  }
  return Object.fromEntries(
    PROMPT_NAMES.flatMap((name) => {
      const prompt = value[name];
      return typeof prompt === "string" ? [[name, prompt]] : [];
    }),
  );
}

export function fillPrompt(prompt: string, values: Readonly<Record<string, string>>): string {
  return prompt.replaceAll(
    /\{(file|text|command)\}/g,
    (place, name: string) => values[name] ?? place,
  );
}
