import { resolve } from "node:path";
import type { AuthMethod } from "../acp/index.ts";
import { type AgentDefinition, authRequired } from "../agent/index.ts";
import { DroidClient, DroidError, findSession } from "../droid/index.ts";
import { droidFailure } from "./turn/ends.ts";
import type { AdapterDeps } from "./deps.ts";
import { pageAfter, sessionInfos } from "./session/listing.ts";
import { isModeId } from "./session/modes.ts";
import { AdapterSession } from "./session/session.ts";

const API_KEY_METHOD = "factory-api-key";

const AUTH_METHODS: readonly AuthMethod[] = [
  {
    id: API_KEY_METHOD,
    name: "Factory API key",
    description:
      "Set FACTORY_API_KEY in the environment that your editor gives to droid-acp. Own-key models of Droid's settings need neither a key nor a login.",
  },
  {
    type: "terminal",
    id: "droid-login",
    name: "Log in with Droid",
    description: "Opens Droid in the terminal: type /login, follow it, then /quit.",
    args: ["--login"],
    env: {},
  },
];

/** Droid as an ACP agent. */
export function droidAgent(deps: AdapterDeps, version: string): AgentDefinition<AdapterSession> {
  /** Droid's ids of a session; undefined if there is none, which the disk tells sooner than Droid. */
  const partsOf = async (sessionId: string): Promise<readonly string[] | undefined> => {
    const chain = await deps.ids.chainOf(sessionId);
    const last = await findSession(chain.at(-1) ?? sessionId, { home: deps.home });
    return last && chain;
  };
  return {
    info: { name: "droid-acp", title: "Droid", version },
    promptCapabilities: { image: true, embeddedContext: true },
    mcpCapabilities: { http: true, sse: true },
    authMethods: AUTH_METHODS,

    authenticate() {
      if (!deps.hasApiKey)
        throw authRequired("FACTORY_API_KEY is not set in the environment of droid-acp");
    },

    newSession: (start) => told(AdapterSession.open(deps, start)),
    sessionId: (session) => session.id,

    async *loadSession(request) {
      const chain = await partsOf(request.sessionId);
      if (!chain) return undefined;
      // Two processes must not write one session.
      await request.current?.state.close();
      const session = await told(AdapterSession.reopen(deps, request.sessionId, chain, request));
      if (!session) return undefined;
      try {
        yield* session.replay();
        return session;
      } catch (error) {
        await session.close();
        throw error;
      }
    },

    async resumeSession(request) {
      const chain = await partsOf(request.sessionId);
      if (!chain) return undefined;
      await request.current?.state.close();
      return told(AdapterSession.reopen(deps, request.sessionId, chain.slice(-1), request));
    },

    async forkSession(request) {
      const droidId = (await partsOf(request.sessionId))?.at(-1);
      return droidId === undefined ? undefined : told(AdapterSession.fork(deps, droidId, request));
    },

    async listSessions({ cwd, cursor }) {
      const { home } = deps;
      const where = cwd === undefined ? {} : { cwd: resolve(cwd) };
      const summaries = await DroidClient.list({ home, ...where });
      return pageAfter(sessionInfos(summaries, await deps.ids.all()), cursor);
    },

    closeSession: ({ state }) => state.close(),

    async deleteSession(sessionId) {
      const { home } = deps;
      for (const part of await deps.ids.chainOf(sessionId)) {
        await DroidClient.delete(part, { home }).catch((error: unknown) => {
          if (!(error instanceof DroidError) || error.code !== "session_not_found") throw error;
        });
      }
      await deps.ids.remove(sessionId);
    },

    sessionOpened: (session) => session.state.opened(session),

    modes: ({ state }) => state.modes,
    async setMode({ state }, mode) {
      if (isModeId(mode)) await state.setMode(mode);
    },
    configOptions: ({ state }) => state.options,
    setConfigOption: ({ state }, id, value) => state.setOption(id, value),

    prompt: (turn) => turn.session.state.prompt(turn),

    close: () => deps.pool.close(),
  };
}

/** Failures of Droid's in words of ACP's. */
async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw droidFailure(error);
  }
}
