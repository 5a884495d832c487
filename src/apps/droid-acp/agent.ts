import { resolve } from "node:path";
import type { AuthMethod } from "../../protocol/acp/index.ts";
import { type AgentDefinition, authRequired, sessionNotFound } from "../../agent/index.ts";
import { DroidClient, DroidError, findSession } from "../../droid/index.ts";
import { findAccess, hasAccess, NO_ACCESS } from "./access.ts";
import type { AdapterDeps } from "./deps.ts";
import { pageAfter, sessionInfos } from "./session/stored.ts";
import { isModeId } from "./session/config.ts";
import { renameStored, AdapterSession, type StoredSession } from "./session/session.ts";
import { translateDroidError } from "./translate/errors.ts";

const API_KEY_METHOD = "factory-api-key";

const AUTH_METHODS: readonly AuthMethod[] = [
  {
    id: API_KEY_METHOD,
    name: "Existing access",
    description:
      "Uses what Droid has: FACTORY_API_KEY in the environment that your editor passes to droid-acp, a Droid login, or an own-key model in Droid's settings.",
  },
  {
    type: "terminal",
    id: "droid-login",
    name: "Log in with Droid",
    description: "Opens Droid in the terminal. Type /login and follow the steps, then type /quit.",
    args: ["--login"],
    env: {},
  },
];

/** Droid as an ACP agent. */
export function droidAgent(deps: AdapterDeps, version: string): AgentDefinition<AdapterSession> {
  /** Sessions in use. A session must be changed by the Droid that has it open. */
  const open = new Map<string, AdapterSession>();
  /** Undefined if the disk has no such session. */
  const storedSession = async (sessionId: string): Promise<StoredSession | undefined> => {
    const droidIds = await deps.ids.chainOf(sessionId);
    const last = await findSession(droidIds.at(-1) ?? sessionId, { home: deps.home });
    return last && { droidIds, cwd: last.cwd, title: last.title };
  };
  return {
    info: { name: "droid-acp", title: "Droid", version },
    unstable: true,
    systemPrompt: { override: true },
    promptCapabilities: { image: true, embeddedContext: true },
    mcpCapabilities: { http: true, sse: true },
    authMethods: AUTH_METHODS,

    // Many clients sign in first, whether it is needed or not.
    async authenticate() {
      const access = await findAccess(deps.home, deps.hasApiKey);
      if (!hasAccess(access)) throw authRequired(NO_ACCESS);
    },

    newSession: (start) => withAcpErrors(AdapterSession.open(deps, start)),
    sessionId: (session) => session.id,

    async *loadSession(request) {
      const stored = await storedSession(request.sessionId);
      if (!stored) return undefined;
      // Two processes must not write to one session.
      await request.current?.state.close();
      const session = await withAcpErrors(
        AdapterSession.reopen(deps, request.sessionId, stored, request),
      );
      if (!session) return undefined;
      try {
        yield* session.replay(request.client.can("plan"));
        return session;
      } catch (error) {
        await session.close();
        throw error;
      }
    },

    async resumeSession(request) {
      const stored = await storedSession(request.sessionId);
      if (!stored) return undefined;
      await request.current?.state.close();
      const last = { ...stored, droidIds: stored.droidIds.slice(-1) };
      return withAcpErrors(AdapterSession.reopen(deps, request.sessionId, last, request));
    },

    async forkSession(request) {
      const droidId = (await storedSession(request.sessionId))?.droidIds.at(-1);
      return droidId === undefined
        ? undefined
        : withAcpErrors(AdapterSession.fork(deps, droidId, request));
    },

    async listSessions({ cwd, cursor }) {
      const { home } = deps;
      const filter = cwd === undefined ? {} : { cwd: resolve(cwd) };
      const summaries = await DroidClient.list({ home, ...filter });
      return pageAfter(sessionInfos(summaries, await deps.ids.all()), cursor);
    },

    async closeSession({ id, state }) {
      if (open.get(id) === state) open.delete(id);
      await state.close();
    },

    async deleteSession(sessionId) {
      const { home } = deps;
      for (const droidId of await deps.ids.chainOf(sessionId)) {
        await DroidClient.delete(droidId, { home }).catch((error: unknown) => {
          if (!(error instanceof DroidError) || error.code !== "session_not_found") throw error;
        });
      }
      await deps.ids.remove(sessionId);
    },

    async sessionOpened(session, how) {
      open.set(session.id, session.state);
      await session.state.opened(session, how);
    },

    async setTitle(sessionId, given) {
      const title = given.trim().replace(/\s+/g, " ");
      const session = open.get(sessionId);
      const stored = session ? undefined : await storedSession(sessionId);
      if (session) await withAcpErrors(session.rename(title));
      else if (stored) await withAcpErrors(renameStored(deps, stored, title));
      else throw sessionNotFound(sessionId);
      return title;
    },

    modes: ({ state }) => state.modes,
    async setMode({ state }, mode) {
      if (isModeId(mode)) await state.setMode(mode);
    },
    configOptions: ({ state }) => state.options,
    setConfigOption: ({ state }, id, value) => state.setOption(id, value),

    // As Droid's own ACP mode does.
    whenBusy: "wait",
    prompt: (turn) => turn.session.state.prompt(turn),

    close: () => deps.pool.close(),
  };
}

async function withAcpErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw translateDroidError(error);
  }
}
