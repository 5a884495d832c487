import type { Requirement } from "../../index.ts";
import { isJsonObject } from "../../../base/index.ts";
import { hasCapability, type RunContext, type SubjectFacts } from "../agent/agent-check.ts";
import type { AgentCheckOptions } from "./options.ts";

/** Why a requirement is left out of a run; undefined if it is not. */
export function reasonToSkip(
  { requires, optIn, provoked }: Requirement,
  options: AgentCheckOptions,
  facts: SubjectFacts,
  context: RunContext,
): string | undefined {
  if (optIn !== undefined && !context.optIn.has(optIn)) return `needs ${optIn}`;
  if (requires !== undefined && !isAdvertised(requires, facts, context.protocol)) {
    return `the agent does not advertise ${requires}`;
  }
  if (provoked === "model" && !context.usesModel && context.prompts === undefined) {
    return options.model === "none"
      ? "needs a scripted turn, and the run has --model none"
      : "needs a scripted turn: use a name of the catalogue, --model-env or --prompts";
  }
  return undefined;
}

/** Parts of the result of `session/new` that are advertised there and not in `initialize`. */
const OF_SESSION: ReadonlySet<string> = new Set(["modes", "configOptions"]);

function isAdvertised(
  path: string,
  { initialized, session }: SubjectFacts,
  protocol: 1 | 2,
): boolean {
  if (OF_SESSION.has(path)) {
    const value = session?.[path];
    return Array.isArray(value) ? value.length > 0 : isJsonObject(value);
  }
  if (path === "authMethods") {
    return Array.isArray(initialized[path]) && initialized[path].length > 0;
  }
  const own = initialized[protocol === 1 ? "agentCapabilities" : "capabilities"];
  return hasCapability(isJsonObject(own) ? own : {}, path);
}
