import {
  type AgentDefinition,
  type Client,
  pageOf,
  type ProviderHandlers,
  sessionNotFound,
} from "../../agent/index.ts";
import type {
  AuthStatus,
  ContentBlock,
  ProviderInfo,
  SessionArchiveFilter,
  SessionUpdate,
  SystemPrompt,
} from "../../protocol/acp/index.ts";
import { answer } from "./answer.ts";
import { listedCommands, runCommand } from "./commands/index.ts";
import { Conversation, modesOf, optionsOf, parseMode, setOption } from "./conversation.ts";
import type { DemoTurn } from "./files.ts";
import { Store } from "./store.ts";

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
/** Titles that the agent gives are shorter than those that it accepts. */
const TITLE_CHARS = 60;
const MAX_TITLE_CHARS = 200;

/** The demo agent: answers from the workspace, and demonstrates ACP features with slash commands. */
export function demoAgent(options: DemoOptions): AgentDefinition<Conversation> {
  const { requireAuth = false, unstable = false } = options;
  const store = new Store(options.stateFolder);
  let signedIn = !requireAuth;
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
  const authStatus = (): AuthStatus => authStatusOf(requireAuth ? signedIn : undefined);
  const sign = async (isIn: boolean, client: Client): Promise<void> => {
    signedIn = isIn;
    if (unstable) await client.reportAuthStatus(authStatus());
  };
  const changed = async (
    sessionId: string,
    work: (conversation: Conversation) => void,
  ): Promise<void> => {
    const found = await store.find(sessionId);
    if (!found) throw sessionNotFound(sessionId);
    work(found);
    await save(found);
  };
  const unstableMembers = (): Partial<AgentDefinition<Conversation>> => ({
    unstable: true,
    mcpCapabilities: { http: true, sse: true, acp: true },
    systemPrompt: { override: true },
    authStatus,
    providers: demoProviders(),
    archiveSession: (id) => changed(id, (conversation) => void (conversation.archived = true)),
    unarchiveSession: (id) => changed(id, (conversation) => void (conversation.archived = false)),
    sessionStatus: async (id) => ((await store.find(id)) ? "saved" : undefined),
    setTitle: async (id, given) => {
      const title = given.trim().slice(0, MAX_TITLE_CHARS);
      await changed(id, (conversation) => void (conversation.title = title));
      return title;
    },
    forkSession: async ({ sessionId, cwd, systemPrompt }) => {
      const found = await store.find(sessionId);
      return found && open(instructed(found.fork(cwd), systemPrompt));
    },
  });
  return {
    info: { name: "dragoman-demo", title: "Dragoman demo agent", version: options.version },
    promptCapabilities: { image: true, audio: true, embeddedContext: true },
    mcpCapabilities: { http: true, sse: true },
    additionalDirectories: true,

    ...(requireAuth
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
    ...(unstable ? unstableMembers() : {}),
    async listSessions({ cwd, cursor, archived }) {
      const all = await store.list(cwd);
      const found = unstable ? all.filter((one) => isListed(one, archived)) : all;
      return pageOf(
        found.map(({ info }) => info),
        cursor,
        PAGE_SIZE,
      );
    },
    closeSession: ({ state }) => saveUsed(state),
    deleteSession: (id) => store.remove(id),
    sessionOpened: (session) => {
      session.state.commands = listedCommands(unstable);
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

/** The sign-in state, in the form of the protocol. Pure. */
function authStatusOf(signedIn: boolean | undefined): AuthStatus {
  if (signedIn === undefined) return { state: "not_required" };
  if (!signedIn) return { state: "unauthenticated" };
  return { state: "authenticated", accounts: [{ label: "Demo account", active: true }] };
}

function isListed({ archived }: Conversation, filter: SessionArchiveFilter): boolean {
  switch (filter) {
    case "exclude":
      return !archived;
    case "only":
      return archived;
    case "include":
      return true;
  }
}

/** Whether a client can take an update of the history. Pure. */
function isReplayable({ sessionUpdate }: SessionUpdate, client: Client): boolean {
  switch (sessionUpdate) {
    case "plan_update":
    case "plan_removed":
      return client.can("plan");
    case "subagent_update":
    case "session_message":
    case "session_message_chunk":
      return client.can("subagents");
    default:
      return true;
  }
}

/** Two model providers, which the demo agent never calls. It does not keep their headers. */
function demoProviders(): ProviderHandlers {
  const all = new Map<string, ProviderInfo>();
  const supported = ["openai", "anthropic"];
  const put = (info: ProviderInfo): void => void all.set(info.providerId, info);
  const current = { apiType: "openai", baseUrl: "http://localhost:8080/v1" };
  put({ providerId: "main", supported, required: true, current });
  put({ providerId: "spare", supported, required: false, current: null });
  return {
    list: () => [...all.values()],
    set: (providerId, { apiType, baseUrl }) => {
      const known = all.get(providerId);
      if (known) put({ ...known, current: { apiType, baseUrl } });
    },
    disable: (providerId) => {
      const known = all.get(providerId);
      if (known) put({ ...known, current: null });
    },
  };
}
