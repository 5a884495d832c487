import { ATTACH_META } from "../../client/index.ts";
import { asObject, numberField, stringField } from "../../wire/index.ts";
import { sessionAccess } from "../access.ts";
import { notAllowed, unknownSession } from "../errors.ts";
import { resultLine } from "../json/write.ts";
import type { ClientRole, HubSessionInfo } from "../options.ts";
import type { HubSession } from "../session/session.ts";
import type { ClientRelay, RouterHub } from "./relay.ts";
import type { ClientRequest, ServedClient } from "./served-client.ts";

/** The sessions that a client may attach to. */
export function visibleSessions(
  sessions: readonly HubSession[],
  { options }: ServedClient,
): readonly HubSession[] {
  return sessions.filter(({ info }) => sessionAccess(options, info, "follow") === "granted");
}

/**
 * Attaches a client: it gets everything after the position `after`, then the result. Throws RpcError if
 * the session is unknown or the role is not allowed.
 */
export function attach(
  { client, hub }: Pick<ClientRelay, "client" | "hub">,
  { params, line, id }: ClientRequest,
): HubSession {
  const sessionId = stringField(params, "sessionId") ?? "";
  const session = visibleSessions(hub.sessions, client).find((visible) => visible.id === sessionId);
  if (!session) throw unknownSession(sessionId);
  if (!session.hasLog) throw notAllowed("This hub does not share sessions");
  const role = roleOf(client, params["role"]);
  session.detach(client, 0);
  const after = numberField(params, "after") ?? 0;
  const { first, last } = session.positions;
  const attachment = session.attach(client, role, { isExtended: true, after });
  client.sessions.set(sessionId, session);
  const result = {
    ...shownInfo(session, hub),
    role,
    seq: last,
    first,
    protocolVersion: session.agent.version,
    opened: session.record.opened,
  };
  attachment.send(resultLine(line.slice(id.start, id.end), result));
  session.ask(attachment);
  return session;
}

/** A session as clients see it. */
export function shownInfo(
  { info }: HubSession,
  { options }: Pick<RouterHub, "options">,
): HubSessionInfo {
  const shown = (folder: string): string => options.folderName?.(folder) ?? folder;
  const additionalDirectories = info.additionalDirectories.map(shown);
  return { ...info, cwd: shown(info.cwd), additionalDirectories };
}

function roleOf({ options }: ServedClient, requested: unknown): ClientRole {
  const most = options.role ?? "controller";
  if (requested === undefined) return most;
  if (requested !== "controller" && requested !== "observer") {
    throw notAllowed('The role must be "controller" or "observer"');
  }
  if (requested === "controller" && most === "observer") {
    throw notAllowed("This client may only observe");
  }
  return requested;
}

/** The answer to `initialize` for a client that only wants to list and attach. */
export function hubInitializeResult(params: unknown): object {
  const { protocolVersion } = asObject(params);
  const info = { name: "dragoman-hub", title: "Dragoman hub", version: "1" };
  const _meta = { [ATTACH_META]: true };
  return typeof protocolVersion === "number" && protocolVersion >= 2
    ? { protocolVersion: 2, capabilities: {}, info, _meta }
    : { protocolVersion: 1, agentCapabilities: {}, agentInfo: info, authMethods: [], _meta };
}
