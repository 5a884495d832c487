import type { LanguageModelV4 } from "@ai-sdk/provider";
import { merged, type OptionNames, optionsFault, quietly } from "../../base/index.ts";
import { START_OPTIONS } from "../index.ts";
import type { CallHost } from "./call.ts";
import { currentFolder } from "./current-folder.ts";
import { AcpModelError, AcpProviderError } from "./errors.ts";
import { AcpLanguageModel } from "./model.ts";
import type { AcpModelSettings, AcpProviderOptions, AcpSessionSettings } from "./options.ts";
import { ClientStarter, DEFAULT_MODEL, ModelSessions } from "./sessions.ts";

/**
 * An agent as a provider of the AI SDK. Call it for a model. The id is one of the models that the agent
 * offers; default: `default`, the agent's own choice.
 *
 * The agent starts with the first call of a model. If it dies, the next call starts it again. It runs
 * until `close`, so use `await using` or call `close`: a process with a running agent does not end by
 * itself.
 */
export interface AcpProvider {
  /** A model of the agent. */
  (modelId?: string, settings?: AcpModelSettings): LanguageModelV4;
  readonly specificationVersion: "v4";
  /** Like calling the provider. */
  languageModel(modelId: string, settings?: AcpModelSettings): LanguageModelV4;
  /** Throws AcpModelError: agents do not compute embeddings. */
  embeddingModel(modelId: string): never;
  /** Throws AcpModelError: agents do not generate images on request. */
  imageModel(modelId: string): never;
  /**
   * Cancels the running calls and closes the sessions that the provider opened. Ends the agent, unless
   * it was given as a client. Calls fail from then on. Never rejects; calling it again is safe.
   */
  close(): Promise<void>;
  /** Like `close`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const PROVIDER_OPTIONS: OptionNames<AcpProviderOptions> = /* @__PURE__ */ merged(START_OPTIONS, {
  session: true,
  auth: true,
  maxSessions: true,
  client: true,
} as const);

const SESSION_SETTINGS: OptionNames<AcpSessionSettings> = {
  cwd: true,
  additionalDirectories: true,
  mcpServers: true,
  permissions: true,
  fs: true,
  terminal: true,
  elicitation: true,
  meta: true,
  onMeta: true,
  systemPrompt: true,
};

function assertOptions(given: unknown, names: object, where: string): void {
  const fault = optionsFault(given, names, where);
  if (fault !== undefined) throw new AcpProviderError("invalid_argument", fault);
}

/** The default of `maxSessions`. */
const MAX_SESSIONS = 16;

/**
 * Creates a provider for the AI SDK. Starts nothing yet. Throws AcpProviderError if `maxSessions` is
 * negative, or for an unknown option.
 */
export function createAcpProvider(options: AcpProviderOptions): AcpProvider {
  assertOptions(options, PROVIDER_OPTIONS, "createAcpProvider");
  const { maxSessions = MAX_SESSIONS, auth, session = {} } = options;
  assertOptions(session, SESSION_SETTINGS, "createAcpProvider: session");
  if (!(maxSessions >= 0)) {
    throw new AcpProviderError("invalid_argument", "maxSessions must not be negative");
  }
  const starter = new ClientStarter(options);
  const settings = { ...session, cwd: folderOf(session, options) };
  const sessions = new ModelSessions({ session: settings, auth, maxSessions });
  const host: CallHost = { starter, sessions, running: new Set() };
  const languageModel = (modelId = DEFAULT_MODEL, model: AcpModelSettings = {}): LanguageModelV4 =>
    new AcpLanguageModel(host, modelId, model);
  const close = (): Promise<void> =>
    quietly(async () => {
      const closed = starter.close();
      for (const call of host.running) call.cancel();
      if (options.client) await sessions.close(options.client);
      await closed;
    });
  return Object.assign(languageModel, {
    specificationVersion: "v4" as const,
    languageModel,
    embeddingModel: (modelId: string) => missing(modelId, "embeddingModel"),
    imageModel: (modelId: string) => missing(modelId, "imageModel"),
    close,
    [Symbol.asyncDispose]: close,
  });
}

function folderOf(session: AcpSessionSettings, options: AcpProviderOptions): string {
  const agentFolder = options.client ? undefined : "cwd" in options ? options.cwd : undefined;
  return session.cwd ?? agentFolder ?? currentFolder();
}

function missing(modelId: string, modelType: "embeddingModel" | "imageModel"): never {
  throw new AcpModelError(modelId, modelType, `an agent is a language model, not an ${modelType}`);
}
