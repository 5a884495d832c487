import { type AgentDefinition, pageOf } from "../agent/index.ts";
import type { ContentBlock } from "../acp/index.ts";
import { answer } from "./answer.ts";
import { commandIn, OFFERED } from "./commands/index.ts";
import { Conversation } from "./conversation.ts";
import type { DemoTurn } from "./files.ts";
import { modesOf, optionsOf, setOption, toMode } from "./settings.ts";
import { Store } from "./store.ts";

export interface DemoOptions {
  readonly version: string;
  /** Whether sessions need a sign-in first. */
  readonly requireAuth?: boolean;
  /** Whether to offer what is not stable in ACP: `session/fork`. */
  readonly unstable?: boolean;
  /** Where sessions are written down, for other processes to load; in memory only unless given. */
  readonly stateFolder?: string | undefined;
  /** Ends the process, for `/crash`. */
  readonly exit: (code: number) => void;
}

const PAGE_SIZE = 20;
const TITLE_CHARS = 60;

/** The demo agent: answers from the workspace, and shows every feature of ACP on a slash command. */
export function demoAgent(options: DemoOptions): AgentDefinition<Conversation> {
  const store = new Store(options.stateFolder);
  let signedIn = options.requireAuth !== true;
  // A disk that takes nothing is no reason to answer nothing.
  const keep = (conversation: Conversation): Promise<void> =>
    store.save(conversation).catch(() => {});
  const open = (conversation: Conversation): Conversation => {
    store.add(conversation);
    return conversation;
  };
  return {
    info: { name: "dragoman-demo", title: "Dragoman demo agent", version: options.version },
    promptCapabilities: { image: true, audio: true, embeddedContext: true },
    mcpCapabilities: { http: true, sse: true },
    additionalDirectories: true,

    ...(options.requireAuth === true
      ? {
          authMethods: [
            { id: "demo", name: "Demo", description: "Signs in without asking anything" },
          ],
          authenticate: () => {
            signedIn = true;
          },
          isAuthenticated: () => signedIn,
          logout: () => {
            signedIn = false;
          },
        }
      : {}),

    newSession: ({ cwd }) => open(new Conversation(cwd)),
    sessionId: ({ id }) => id,
    async *loadSession({ sessionId }) {
      const found = await store.find(sessionId);
      if (found) yield* found.history.snapshot();
      return found;
    },
    resumeSession: ({ sessionId }) => store.find(sessionId),
    ...(options.unstable === true
      ? {
          forkSession: async ({ sessionId, cwd }) => {
            const found = await store.find(sessionId);
            return found && open(found.fork(cwd));
          },
        }
      : {}),
    async listSessions({ cwd, cursor }) {
      const found = await store.list(cwd);
      return pageOf(
        found.map(({ info }) => info),
        cursor,
        PAGE_SIZE,
      );
    },
    // Who only looked around has nothing to come back to.
    closeSession: async ({ state }) => {
      if (state.hasBegun) await keep(state);
    },
    deleteSession: (id) => store.remove(id),
    sessionOpened: (session) => {
      session.state.commands = OFFERED;
      return session.commands(OFFERED);
    },

    modes: ({ state }) => modesOf(state),
    setMode: ({ state }, modeId) => {
      state.mode = toMode(modeId) ?? state.mode;
    },
    configOptions: ({ state }) => optionsOf(state),
    setConfigOption: ({ state }, id, value) => void setOption(state, id, value),

    recordUpdate: ({ state }, update) => state.record(update),

    async prompt(turn) {
      const { state } = turn.session;
      for (const content of turn.prompt) {
        state.record({ sessionUpdate: "user_message_chunk", content });
      }
      state.touch();
      await nameSession(turn);
      // A process that is ended in the middle has told its client of this session.
      await keep(state);
      try {
        const called = commandIn(turn.text);
        if (called) return await called.command.run(turn, called.rest, options);
        await acknowledge(turn);
        await answer(turn);
        return "end_turn";
      } finally {
        await keep(state);
      }
    },
  };
}

/** A session is named by its first prompt. */
async function nameSession(turn: DemoTurn): Promise<void> {
  const { state } = turn.session;
  const line = turn.text.trim().split("\n")[0] ?? "";
  if (state.title !== undefined || line === "") return;
  await turn.title(line.slice(0, TITLE_CHARS));
}

/** Says what came along with the text, since the search looks at the text alone. */
async function acknowledge(turn: DemoTurn): Promise<void> {
  const others = turn.prompt.filter((block) => block.type !== "text").map(inWords);
  if (others.length > 0) await turn.think(`I was given ${others.join(", ")}.`);
}

function inWords(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return "text";
    case "image":
    case "audio":
      return `${block.type} (${block.mimeType}, ${block.data.length} characters of base64)`;
    case "resource_link":
      return `a link to ${block.uri}`;
    case "resource":
      return `the contents of ${block.resource.uri}`;
  }
}
