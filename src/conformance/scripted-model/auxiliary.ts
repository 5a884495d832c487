import { type JsonObject, asObject, isJsonObject } from "../../base/index.ts";
import type { ModelRequest } from "./request.ts";
import { text, type Step } from "./script-parts.ts";

/**
 * Whether a call is not part of a turn. Agents also call the model for titles (Droid 0.117.0 at once, 0.215.0 and
 * 0.225.2 some seconds later, opencode, claude), to choose a model (Gemini) and to summarise (Droid's compaction). Such
 * a call must not consume a step of the script. These calls offer no tools, and every call of a turn offers some.
 */
export function offersNoTools(request: ModelRequest): boolean {
  return request.tools.length === 0;
}

/** A harmless answer: a short line, or the smallest value that fits the schema if the request has one. */
export function harmlessAnswer(request: ModelRequest): Step {
  if (request.answerSchema === undefined) return text("Scripted title");
  return text(JSON.stringify(smallestOf(asObject(request.answerSchema))));
}

export function smallestOf(schema: JsonObject): unknown {
  const [choice] = arrayOf(schema["enum"]);
  if (choice !== undefined) return choice;
  if (schema["const"] !== undefined) return schema["const"];
  const [alternative] = arrayOf(schema["anyOf"] ?? schema["oneOf"]);
  if (isJsonObject(alternative)) return smallestOf(alternative);
  // Gemini writes the type names in capitals.
  switch (
    String(Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"]).toLowerCase()
  ) {
    case "object":
      return smallestObject(schema);
    case "array":
      return [];
    case "number":
    case "integer":
      return typeof schema["minimum"] === "number" ? schema["minimum"] : 0;
    case "boolean":
      return false;
    case "null":
      return null;
    default:
      return "scripted";
  }
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function smallestObject(schema: JsonObject): JsonObject {
  const properties = asObject(schema["properties"]);
  const required = new Set(arrayOf(schema["required"]));
  const wanted = Object.entries(properties).filter(([name]) => required.has(name));
  return Object.fromEntries(
    wanted.map(([name, property]) => [name, smallestOf(asObject(property))]),
  );
}
