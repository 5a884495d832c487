import type {
  ElicitationContentValue,
  ElicitationPropertySchema,
} from "../../../protocol/acp/index.ts";
import type { ElicitationReply, FormElicitation, UrlElicitation } from "../../../client/index.ts";
import { isJsonObject, type JsonObject, sanitize, sanitizeLine } from "../../../base/index.ts";
import type { Asker, Dialogue } from "./asker.ts";

const CANCEL: ElicitationReply = { action: "cancel" };

/** Asks the user to fill in a form from the agent, field by field. */
export async function fillForm(
  asker: Asker,
  request: FormElicitation,
  agent: string,
): Promise<ElicitationReply> {
  const reply = await asker.ask<ElicitationReply>(request.signal, async (dialogue) => {
    dialogue.say(`${sanitizeLine(agent)} asks: ${sanitize(request.message)}`);
    const content: Record<string, ElicitationContentValue> = {};
    const required = new Set(request.schema.required ?? []);
    for (const [name, field] of Object.entries(request.schema.properties ?? {})) {
      const value = await askField(dialogue, name, field, required.has(name));
      if (value === CANCELLED) return CANCEL;
      if (value !== undefined) content[name] = value;
    }
    const faults = request.check(content);
    for (const { path, message } of faults)
      dialogue.say(`  ${sanitizeLine(path)} ${sanitizeLine(message)}`);
    if (faults.length > 0) return CANCEL;
    const isSent = await dialogue.confirm("Send this?", true);
    if (isSent === undefined) return CANCEL;
    return isSent ? { action: "accept", content } : { action: "decline" };
  });
  return reply ?? CANCEL;
}

/** Asks whether the user will open an address from the agent. Dragoman does not open it. */
export async function askUrl(
  asker: Asker,
  request: UrlElicitation,
  agent: string,
): Promise<ElicitationReply> {
  const reply = await asker.ask(request.signal, (dialogue) => {
    dialogue.say(
      `${sanitizeLine(agent)} asks you to open an address: ${sanitize(request.message)}`,
      `  host: ${sanitizeLine(request.url.host)}`,
      `  ${sanitizeLine(request.url.href)}`,
    );
    return dialogue.confirm("Will you open it?", false);
  });
  if (reply === undefined) return CANCEL;
  return { action: reply ? "accept" : "decline" };
}

const CANCELLED = Symbol("cancelled");

type Answer = ElicitationContentValue | undefined | typeof CANCELLED;

async function askField(
  dialogue: Dialogue,
  name: string,
  field: ElicitationPropertySchema,
  required: boolean,
): Promise<Answer> {
  const raw: JsonObject = isJsonObject(field) ? field : {};
  const title = sanitizeLine(textOr(raw["title"], name));
  const description = textOr(raw["description"], "");
  const about = description === "" ? "" : ` (${sanitizeLine(description)})`;
  const choices = choicesOf(field);
  choices.forEach(({ label }, index) => dialogue.say(`  ${index + 1}) ${sanitizeLine(label)}`));
  const fallback = defaultOf(raw["default"]);
  const otherwise =
    fallback !== undefined
      ? `, leave empty for ${sanitizeLine(shownDefault(fallback))}`
      : required
        ? ""
        : ", leave empty to skip";
  const read = (line: string): { value: Answer } | undefined => {
    if (line === "") {
      if (fallback !== undefined) return { value: fallback };
      return required ? undefined : { value: undefined };
    }
    const value = readValue(field, line, choices);
    return value === undefined ? undefined : { value };
  };
  const prompt = `${title}${about} (${hintOf(field, choices)}${otherwise}): `;
  const answer = await dialogue.until(prompt, read, `Please enter ${hintOf(field, choices)}.`);
  return answer === undefined ? CANCELLED : answer.value;
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}

function defaultOf(value: unknown): ElicitationContentValue | undefined {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return value;
  }
  return Array.isArray(value) ? value.map(String) : undefined;
}

function shownDefault(value: ElicitationContentValue): string {
  if (typeof value === "boolean") return value ? "y" : "n";
  return Array.isArray(value) ? value.join(", ") : String(value);
}

interface FormChoice {
  readonly value: string;
  readonly label: string;
}

/** The values of a single or multiple choice, with or without titles. */
function choicesOf(field: ElicitationPropertySchema): readonly FormChoice[] {
  const source: unknown = field.type === "array" ? field.items : field;
  if (!isJsonObject(source)) return [];
  const plain = source["enum"];
  if (Array.isArray(plain)) return plain.map(String).map((value) => ({ value, label: value }));
  const titled: unknown = source["oneOf"] ?? source["anyOf"];
  if (!Array.isArray(titled)) return [];
  return titled.flatMap((item: unknown) => {
    if (!isJsonObject(item) || typeof item["const"] !== "string") return [];
    const value = item["const"];
    return [{ value, label: typeof item["title"] === "string" ? item["title"] : value }];
  });
}

function hintOf(field: ElicitationPropertySchema, choices: readonly FormChoice[]): string {
  if (choices.length > 0) {
    return field.type === "array" ? `numbers from 1 to ${choices.length}` : `1-${choices.length}`;
  }
  switch (field.type) {
    case "boolean":
      return "y or n";
    case "integer":
      return "a whole number";
    case "number":
      return "a number";
    default:
      return "text";
  }
}

function readValue(
  field: ElicitationPropertySchema,
  line: string,
  choices: readonly FormChoice[],
): ElicitationContentValue | undefined {
  if (field.type === "array") {
    const picked = line.split(/[\s,]+/).map((word) => choose(word, choices));
    return picked.every((value) => value !== undefined) ? picked : undefined;
  }
  if (choices.length > 0) return choose(line, choices);
  switch (field.type) {
    case "boolean":
      return /^(?:y|yes|true)$/i.test(line)
        ? true
        : /^(?:n|no|false)$/i.test(line)
          ? false
          : undefined;
    case "integer":
      return /^[+-]?\d+$/.test(line) ? Number(line) : undefined;
    case "number":
      return line !== "" && Number.isFinite(Number(line)) ? Number(line) : undefined;
    default:
      return line;
  }
}

function choose(word: string, choices: readonly FormChoice[]): string | undefined {
  if (/^\d+$/.test(word)) return choices[Number(word) - 1]?.value;
  return choices.find(({ value }) => value === word)?.value;
}
