import type { PermissionRequest } from "../../client/permissions/policy.ts";
import type { Agent } from "../agents/select.ts";
import type { Context } from "./context.ts";

/** Lets the person choose; undefined when nobody did. */
export async function askPerson(
  { asker, style, renderer }: Context,
  agent: Agent,
  request: PermissionRequest,
): Promise<string | undefined> {
  if (asker === undefined) return undefined;
  const { askPermission } = await import("../permissions/ask.ts");
  return askPermission(asker, request, {
    agent: agent.name,
    style,
    hasShown: (diff) => renderer.hasShown?.(diff) === true,
  });
}
