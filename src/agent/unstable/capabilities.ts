import type { UnstableDefinition } from "./definition.ts";

/** The unstable capabilities that an agent advertises: none without `unstable: true`. Pure. */
export function unstableCapabilities(
  definition: UnstableDefinition & {
    readonly mcpCapabilities?: { readonly acp?: boolean | undefined } | undefined;
  },
) {
  if (definition.unstable !== true) return { mcp: {}, session: {}, auth: {}, agent: {} };
  const { systemPrompt } = definition;
  const override = typeof systemPrompt === "object" && systemPrompt.override;
  return {
    mcp: { acp: definition.mcpCapabilities?.acp === true },
    session: {
      ...(definition.archiveSession ? { archive: {} } : {}),
      ...(definition.sessionStatus ? { status: {} } : {}),
      ...(definition.setTitle ? { title: {} } : {}),
      ...(systemPrompt === undefined || systemPrompt === false
        ? {}
        : { systemPrompt: override ? { mode: { override: {} } } : {} }),
    },
    auth: definition.authStatus ? { status: {} } : {},
    agent: definition.providers ? { providers: {} } : {},
  };
}

/** Throws a TypeError if the unstable members are inconsistent. */
export function assertUnstableComplete(
  definition: UnstableDefinition & { readonly listSessions?: unknown },
): void {
  const { archiveSession, unarchiveSession, listSessions } = definition;
  if ((archiveSession === undefined) !== (unarchiveSession === undefined)) {
    throw new TypeError(
      "the agent definition needs both archiveSession and unarchiveSession: it has one of them",
    );
  }
  if (archiveSession && !listSessions) {
    throw new TypeError("the agent definition needs listSessions: it has archiveSession");
  }
}
