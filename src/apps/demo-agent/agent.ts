import { type AgentDefinition, type Client, pageOf } from "../../agent/index.ts";
import type { ContentBlock, SystemPrompt } from "../../protocol/acp/index.ts";
import { answer } from "./answer.ts";
import { listedCommands, runCommand } from "./commands/index.ts";
import { Conversation, modesOf, optionsOf, parseMode, setOption } from "./conversation.ts";
import type { DemoTurn } from "./files.ts";
import { Store } from "./store.ts";
import { authStatusOf, isListed, isReplayable, unstableMembers } from "./unstable.ts";

interface DemoOptions {
  readonly version: string;
  /** Whether sessions require a sign-in. */
  readonly requireAuth?: boolean;
  /** Whether to use the parts of ACP that are not stable, and `session/fork`. */
  readonly unstable?: boolean;
  /** A folder to save sessions in, so that other processes can load them. Default: memory only. */
  readonly stateFolder?: string | undefined;
  readonly exit: (code: number) => void;
}

const PAGE_SIZE = 20;
const TITLE_CHARS = 60;

/** The demo agent: answers from the workspace, and demonstrates ACP features with slash commands. */
export function demoAgent(options: DemoOptions): AgentDefinition<Conversation> {
  const store = new Store(options.stateFolder);
  let signedIn = options.requireAuth !== true;
  // Keep answering even if the disk is full or read-only.
  const save = (conversation: Conversation): Promise<void> =>
    store.save(conversation).catch(() => {});
  // A session without prompts is not worth saving.
  const saveUsed = async (conversation: Conversation): Promise<void> => {
    if (conversation.hasPrompts) await save(conversation);
  };
  const open = (conversation: Conversation): Conversation => {
    store.add(conversation);
    return conversation;
  };
  const status = (): boolean | undefined => (options.requireAuth === true ? signedIn : undefined);
  const sign = async (isIn: boolean, client: Client): Promise<void> => {
    signedIn = isIn;
    if (options.unstable === true) await client.reportAuthStatus(authStatusOf(status()));
  };
  return {
    info: { name: "dragoman-demo", title: "Dragoman demo agent", version: options.version },
    promptCapabilities: { image: true, audio: true, embeddedContext: true },
    mcpCapabilities: { http: true, sse: true },
    additionalDirectories: true,

    ...(options.requireAuth === true
      ? {
          authMethods: [
            { id: "demo", name: "Demo", description: "Signs in without asking for anything" },
          ],
          authenticate: (_, { client }) => sign(true, client),
          isAuthenticated: () => signedIn,
          logout: ({ client }) => sign(false, client),
        }
      : {}),

    newSession: ({ cwd, systemPrompt }) => open(instructed(new Conversation(cwd), systemPrompt)),
    sessionId: ({ id }) => id,
    async *loadSession({ sessionId, systemPrompt, client }) {
      const found = await store.find(sessionId);
      const history = found?.history.snapshot() ?? [];
      for (const update of history) if (isReplayable(update, client)) yield update;
      return found && instructed(found, systemPrompt);
    },
    resumeSession: async ({ sessionId, systemPrompt }) => {
      const found = await store.find(sessionId);
      return found && instructed(found, systemPrompt);
    },
    ...(options.unstable === true
      ? {
          ...unstableMembers({ store, save, signedIn: status }),
          forkSession: async ({ sessionId, cwd, systemPrompt }) => {
            const found = await store.find(sessionId);
            return found && open(instructed(found.fork(cwd), systemPrompt));
          },
        }
      : {}),
    async listSessions({ cwd, cursor, archived }) {
      const all = await store.list(cwd);
      const found = options.unstable === true ? all.filter((one) => isListed(one, archived)) : all;
      return pageOf(
        found.map(({ info }) => info),
        cursor,
        PAGE_SIZE,
      );
    },
    closeSession: ({ state }) => saveUsed(state),
    deleteSession: (id) => store.remove(id),
    sessionOpened: (session) => {
      session.state.commands = listedCommands(options.unstable === true);
      return session.commands(session.state.commands);
    },

    modes: ({ state }) => modesOf(state),
    setMode: async ({ state }, modeId) => {
      state.mode = parseMode(modeId) ?? state.mode;
      await saveUsed(state);
    },
    configOptions: ({ state }) => optionsOf(state),
    setConfigOption: async ({ state }, id, value) => {
      setOption(state, id, value);
      await saveUsed(state);
    },

    recordUpdate: ({ state }, update) => state.record(update),

    async prompt(turn) {
      const { state } = turn.session;
      for (const content of turn.prompt) {
        const { messageId } = turn;
        state.record({ sessionUpdate: "user_message_chunk", messageId, content });
      }
      state.touch();
      await nameSession(turn);
      // Save before answering: if this process is killed midway, the client still knows the session.
      await save(state);
      try {
        const ran = await runCommand(turn, options);
        if (ran) return ran.end;
        await acknowledgeAttachments(turn);
        await answer(turn);
        return "end_turn";
      } finally {
        await save(state);
      }
    },
  };
}

/** Keeps the client's instructions. Without new ones, those of the session stay. */
function instructed(
  conversation: Conversation,
  systemPrompt: SystemPrompt | undefined,
): Conversation {
  conversation.systemPrompt = systemPrompt ?? conversation.systemPrompt;
  return conversation;
}

async function nameSession(turn: DemoTurn): Promise<void> {
  const { state } = turn.session;
  const line = turn.text.trim().split("\n")[0] ?? "";
  if (state.title !== undefined || line === "") return;
  await turn.title(line.slice(0, TITLE_CHARS));
}

/** Lists the blocks that are not text, because the search uses only the text. */
async function acknowledgeAttachments(turn: DemoTurn): Promise<void> {
  const others = turn.prompt.filter((block) => block.type !== "text").map(describe);
  if (others.length > 0) await turn.think(`You also sent ${others.join(", ")}.`);
}

function describe(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return "text";
    case "image":
    case "audio":
      return `${block.type} (${block.mimeType}, ${block.data.length} base64 characters)`;
    case "resource_link":
      return `a link to ${block.uri}`;
    case "resource":
      return `the contents of ${block.resource.uri}`;
  }
}
