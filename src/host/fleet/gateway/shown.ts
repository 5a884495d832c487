import type { ClientRole, HubSessionInfo } from "../../hub/index.ts";
import { jobSession } from "../jobs/job.ts";
import type { FleetSession } from "../session/record.ts";

const JOB_PREFIX = /* @__PURE__ */ jobSession("");

/** Pure: whether a session is one of a job, whose folder only its worker knows. */
export function isJob({ id }: Pick<FleetSession, "id">): boolean {
  return id.startsWith(JOB_PREFIX);
}

/** Pure: a folder as clients see it: a path that starts with the name of a root. */
export function shownFolder(cwd: string): string {
  return cwd.startsWith("/") ? cwd : `/${cwd}`;
}

/** Pure: a session as clients see it. `role` is that of the client itself; undefined if it is not attached. */
export function sessionInfo(session: FleetSession, role: ClientRole | undefined): HubSessionInfo {
  const { id, agent, tenant, isBusy, usedAt } = session;
  const cwd = isJob(session) ? "/" : shownFolder(session.cwd);
  const additionalDirectories = session.additionalDirectories.map(shownFolder);
  const facts = { sessionId: id, agent, owner: tenant, cwd, additionalDirectories, isBusy, usedAt };
  return followedInfo(facts, role);
}

/** Pure: the same, from the facts that a gateway has. Only the client itself is counted. */
export function followedInfo(
  facts: Omit<HubSessionInfo, "title" | "queued" | "controllers" | "observers">,
  role: ClientRole | undefined,
): HubSessionInfo {
  return {
    ...facts,
    title: undefined,
    queued: 0,
    controllers: role === "controller" ? 1 : 0,
    observers: role === "observer" ? 1 : 0,
  };
}
