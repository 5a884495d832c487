import type { RequestOptions, Update } from "../../protocol/acp/index.ts";
import type { AgentConnection } from "../connection/connection.ts";
import { CapabilityError, SessionError, UnsupportedVersionError } from "../errors.ts";
import type { SessionGateOptions } from "../gate/access.ts";
import type { SessionRoots } from "../session/session-impl.ts";
import type { AgentDescription } from "../start.ts";
import { type AttachedSession, AttachedSessionImpl } from "./attached-session.ts";
import {
  ATTACH_META,
  ATTACH_METHODS,
  readAttachResult,
  readSharedSessions,
  type SessionRole,
  type SharedSessionInfo,
} from "./extension.ts";

export type { AttachedSession } from "./attached-session.ts";
export type { SharedSessionInfo } from "./extension.ts";

/** How to join a session that a hub shares. */
export interface AttachOptions extends SessionGateOptions, RequestOptions {
  /** Default: `controller`, or what the hub allows. */
  readonly role?: SessionRole | undefined;
  /**
   * Only updates after this position are replayed: the `seq` of the session before the connection was
   * lost. Default: 0, everything that the hub still has.
   */
  readonly after?: number | undefined;
  /** Receives each replayed update as it arrives, before the call resolves. */
  readonly onReplay?: ((update: Update) => void) | undefined;
}

/** The sessions that the hub shares with this client. */
export async function sharedSessions(
  connection: AgentConnection,
  agent: AgentDescription,
  { signal, meta, onMeta }: RequestOptions,
): Promise<readonly SharedSessionInfo[]> {
  const { list } = ATTACH_METHODS;
  assertHub(list, agent);
  return connection.call(list, {}, readSharedSessions, { signal, meta, onMeta });
}

/** Joins a session. */
export async function attachSession(
  connection: AgentConnection,
  agent: AgentDescription,
  sessionId: string,
  options: AttachOptions,
): Promise<AttachedSession> {
  const { role = "controller", after = 0, signal, meta, onMeta, onReplay } = options;
  const known = await sharedSessions(connection, agent, { signal });
  const info = known.find((session) => session.sessionId === sessionId);
  if (!info) throw new SessionError("unknown_session", sessionId);
  const roots: SessionRoots = [info.cwd];
  const access = connection.gate.access(roots, options);
  const session = new AttachedSessionImpl(connection, sessionId, roots, access, { role, after });
  connection.register(session);
  session.onReplay = onReplay;
  try {
    await connection.pin(access, signal);
    await connection.call(
      ATTACH_METHODS.attach,
      { sessionId, ...(options.role && { role }), after },
      (result) => {
        const attached = readAttachResult(result);
        const { protocolVersion } = attached;
        if (protocolVersion !== connection.protocolVersion) {
          throw new UnsupportedVersionError(protocolVersion, connection.protocolVersion);
        }
        session.attached(attached);
        session.onReplay = undefined;
      },
      { signal, meta, onMeta },
    );
    return session;
  } catch (error) {
    session.end(new SessionError("session_closed", sessionId, { cause: error }), "end");
    await connection.forget(session);
    throw error;
  }
}

function assertHub(method: string, { meta }: AgentDescription): void {
  if (meta?.[ATTACH_META] === true) return;
  throw new CapabilityError(
    method,
    ATTACH_META,
    `the other side is not a hub that shares sessions, or \`initialize\` had no "${ATTACH_META}" or "dragoman/seq" in its \`_meta\``,
  );
}
