import type {
  AuthStatus,
  ProviderInfo,
  SessionArchiveFilter,
  SessionUpdate,
} from "../../protocol/acp/index.ts";
import {
  type AgentDefinition,
  type Client,
  type ProviderHandlers,
  sessionNotFound,
} from "../../agent/index.ts";
import type { Conversation } from "./conversation.ts";
import type { Store } from "./store.ts";

const TITLE_CHARS = 200;

/** The parts of the demo agent that the unstable members need. */
interface UnstableParts {
  readonly store: Store;
  readonly save: (conversation: Conversation) => Promise<void>;
  /** Whether the user is signed in; undefined if no sign-in is needed. */
  readonly signedIn: () => boolean | undefined;
}

/** The members of the definition that only `--unstable` adds. */
export function unstableMembers({
  store,
  save,
  signedIn,
}: UnstableParts): Partial<AgentDefinition<Conversation>> {
  const change = async (
    sessionId: string,
    work: (conversation: Conversation) => void,
  ): Promise<void> => {
    const found = await store.find(sessionId);
    if (!found) throw sessionNotFound(sessionId);
    work(found);
    await save(found);
  };
  return {
    unstable: true,
    mcpCapabilities: { http: true, sse: true, acp: true },
    systemPrompt: { override: true },
    authStatus: () => authStatusOf(signedIn()),
    providers: demoProviders(),
    archiveSession: (id) => change(id, (conversation) => void (conversation.archived = true)),
    unarchiveSession: (id) => change(id, (conversation) => void (conversation.archived = false)),
    sessionStatus: async (id) => ((await store.find(id)) ? "saved" : undefined),
    setTitle: async (id, title) => {
      const stored = title.trim().slice(0, TITLE_CHARS);
      await change(id, (conversation) => void (conversation.title = stored));
      return stored;
    },
  };
}

/** The sign-in state, in the form of the protocol. Pure. */
export function authStatusOf(signedIn: boolean | undefined): AuthStatus {
  if (signedIn === undefined) return { state: "not_required" };
  if (!signedIn) return { state: "unauthenticated" };
  return { state: "authenticated", accounts: [{ label: "Demo account", active: true }] };
}

export function isListed({ archived }: Conversation, filter: SessionArchiveFilter): boolean {
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
export function isReplayable({ sessionUpdate }: SessionUpdate, client: Client): boolean {
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
