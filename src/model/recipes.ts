import { type Step, toolCall } from "./script.ts";
import { join, dirname } from "node:path";
import { readdir, rename, readFile } from "node:fs/promises";

/** The home folder of an agent, and the model that it shall use. */
export interface RecipePaths {
  /** Its home folder. Nothing of the user's is in it. */
  readonly home: string;
  /** The URL of the scripted model, without a path. */
  readonly modelUrl: string;
}

/** The things that an agent needs to use the scripted model. */
export interface ModelSetup {
  /** Arguments in addition to those of the catalogue. */
  readonly args?: readonly string[];
  /** Variables in addition to those that every agent gets. */
  readonly env: Readonly<Record<string, string>>;
  /** Files to write before the agent starts, by their path in the home folder. */
  readonly files?: Readonly<Record<string, string>>;
}

/** One entry of a plan, as in the protocol. */
export interface PlannedStep {
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed";
}

/** The model responses that make an agent use its tools: one step per request to the model. */
export interface ScriptedTools {
  plan(entries: readonly PlannedStep[]): readonly Step[];
  read(path: string): Step;
  write(path: string, content: string): Step;
  edit(path: string, before: string, after: string): Step;
  shell(command: string): Step;
  /** Asks the user a question with two options. Undefined if the schema of its tool is enough. */
  ask?(): Step;
}

/** How to run one agent of the catalogue on the scripted model. */
export interface ModelRecipe {
  /** Its name in the catalogue. */
  readonly name: string;
  readonly setUp: (paths: RecipePaths) => ModelSetup;
  readonly tools: ScriptedTools;
  /** How the client must answer for a missing file, if the agent needs a special answer. */
  readonly missingFile?: "empty";
  /**
   * Whether a conversation that contains the text has been saved. For an agent that answers a prompt
   * before it saves.
   */
  readonly hasSaved?: (home: string, text: string) => Promise<boolean>;
  /** Prepares its home so that another process can load a conversation. */
  readonly beforeLoad?: (home: string) => Promise<void>;
}

const MODEL = "mock-1";

/** Droid behind droid-acp. Its own services are sent to the scripted model, which has none of them. */
export const droid: ModelRecipe = {
  name: "droid",
  setUp: ({ modelUrl }) => ({
    args: ["--model", `custom:${MODEL}`],
    env: {
      FACTORY_API_BASE_URL: modelUrl,
      FACTORY_APP_BASE_URL_OVERRIDE: modelUrl,
      FACTORY_TELEMETRY_INGEST_URL: modelUrl,
      FACTORY_PUBLIC_DOWNLOADS_BASE_URL: modelUrl,
      FACTORY_ORG_MANAGED_SETTINGS_URL: modelUrl,
    },
    files: {
      ".factory/settings.json": JSON.stringify({
        customModels: [
          {
            model: MODEL,
            displayName: "Mock",
            baseUrl: `${modelUrl}/v1`,
            apiKey: "not-needed",
            provider: "generic-chat-completion-api",
            maxOutputTokens: 4096,
            noImageSupport: false,
          },
        ],
      }),
    },
  }),
  tools: {
    plan: (entries) => [
      toolCall("TodoWrite", {
        todos: entries
          .map(({ content, status }, index) => `${index + 1}. [${status}] ${content}`)
          .join("\n"),
      }),
    ],
    read: (path) => toolCall("Read", { file_path: path }),
    write: (path, content) => toolCall("Create", { file_path: path, content }),
    edit: (path, before, after) =>
      toolCall("Edit", { file_path: path, old_str: before, new_str: after }),
    shell: (command) =>
      toolCall("Execute", {
        summary: "Runs a command",
        command,
        timeout: 60,
        riskLevel: "low",
        riskLevelReason: "x",
      }),
    ask: () =>
      toolCall("AskUser", {
        questionnaire: "1. [question] Which colour?\n[topic] Colour\n[option] Red\n[option] Blue",
      }),
  },
};

/** Both adapters for Claude Code read their settings from the environment. */
export function setUpClaude({ home, modelUrl }: RecipePaths): ModelSetup {
  return {
    env: {
      ANTHROPIC_API_KEY: "not-needed",
      ANTHROPIC_BASE_URL: modelUrl,
      CLAUDE_CONFIG_DIR: join(home, ".claude"),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      // Without it, newer versions offer the model no tools for tasks.
      CLAUDE_CODE_ENABLE_TODO_TOOLS: "1",
      // It would ask the model after a turn what the user might type next.
      CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: "false",
      // Needed to open a session as root, which many containers run as.
      IS_SANDBOX: "1",
    },
  };
}

export const claude: ModelRecipe = {
  name: "claude",
  setUp: setUpClaude,
  tools: {
    plan: (todos) => [
      toolCall("ToolSearch", { query: "select:TaskCreate,TaskUpdate" }),
      todos.map(({ content }) =>
        toolCall("TaskCreate", { subject: content, description: content }),
      ),
      todos.flatMap(({ status }, index) =>
        status === "pending" ? [] : [toolCall("TaskUpdate", { taskId: String(index + 1), status })],
      ),
    ],
    read: (path) => toolCall("Read", { file_path: path }),
    write: (path, content) => toolCall("Write", { file_path: path, content }),
    edit: (path, before, after) =>
      toolCall("Edit", { file_path: path, old_string: before, new_string: after }),
    shell: (command) => toolCall("Bash", { command }),
  },
};

export const claudeZed: ModelRecipe = {
  name: "claude-zed",
  setUp: setUpClaude,
  tools: {
    plan: (todos) => [
      toolCall("TodoWrite", {
        todos: todos.map(({ content, status }) => ({ content, status, activeForm: content })),
      }),
    ],
    read: (path) => toolCall("mcp__acp__Read", { file_path: path }),
    write: (path, content) => toolCall("mcp__acp__Write", { file_path: path, content }),
    edit: (path, before, after) =>
      toolCall("mcp__acp__Edit", { file_path: path, old_string: before, new_string: after }),
    shell: (command) => toolCall("mcp__acp__Bash", { command, timeout: 20_000 }),
  },
};

export const gemini: ModelRecipe = {
  name: "gemini",
  setUp: ({ modelUrl }) => ({
    env: {
      GEMINI_API_KEY: "not-needed",
      GOOGLE_GEMINI_BASE_URL: modelUrl,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      // If gemini chose the model itself, it would first ask a model which one to use, and the chosen one
      // would have no todo tool.
      GEMINI_MODEL: "gemini-2.5-flash",
    },
    files: {
      ".gemini/settings.json": JSON.stringify({
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true },
      }),
    },
  }),
  missingFile: "empty",
  // The file of a session is named after the minute in which it was started. Loading it within that
  // minute starts a new session in the same file, and the conversation is lost. So we rename the file
  // to another day.
  beforeLoad: async (home) => {
    const folder = join(home, ".gemini/tmp");
    for (const name of await readdir(folder, { recursive: true })) {
      if (!/[\\/]chats[\\/]session-[^\\/]+\.jsonl$/.test(name)) continue;
      const [, id = ""] = /-([0-9a-f]+\.jsonl)$/.exec(name) ?? [];
      await rename(
        join(folder, name),
        join(folder, dirname(name), `session-2001-01-01T00-00-${id}`),
      );
    }
  },
  tools: {
    plan: (todos) => [
      toolCall("write_todos", {
        todos: todos.map(({ content, status }) => ({ description: content, status })),
      }),
    ],
    read: (path) => toolCall("read_file", { file_path: path }),
    write: (path, content) => toolCall("write_file", { file_path: path, content }),
    edit: (path, before, after) =>
      toolCall("replace", {
        file_path: path,
        instruction: "Change the line",
        old_string: before,
        new_string: after,
      }),
    shell: (command) => toolCall("run_shell_command", { command }),
  },
};

export const opencode: ModelRecipe = {
  name: "opencode",
  setUp: ({ modelUrl }) => ({
    env: {
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    },
    files: {
      ".config/opencode/opencode.json": JSON.stringify({
        autoupdate: false,
        share: "disabled",
        model: "mock/mock-model",
        small_model: "mock/mock-model",
        provider: {
          mock: {
            npm: "@ai-sdk/openai-compatible",
            name: "Mock",
            options: { baseURL: `${modelUrl}/v1`, apiKey: "not-needed" },
            // By default, a model gets no images.
            models: {
              "mock-model": {
                name: "Mock Model",
                attachment: true,
                modalities: { input: ["text", "image"], output: ["text"] },
              },
            },
          },
        },
        // By default, everything is allowed.
        permission: { edit: "ask", bash: "ask", webfetch: "ask" },
      }),
    },
  }),
  tools: {
    plan: (todos) => [
      toolCall("todowrite", { todos: todos.map((todo) => ({ ...todo, priority: "medium" })) }),
    ],
    read: (path) => toolCall("read", { filePath: path }),
    write: (path, content) => toolCall("write", { filePath: path, content }),
    edit: (path, before, after) =>
      toolCall("edit", { filePath: path, oldString: before, newString: after }),
    shell: (command) => toolCall("bash", { command, description: "Runs a command" }),
  },
};

export const qwen: ModelRecipe = {
  name: "qwen",
  setUp: ({ modelUrl }) => ({
    env: {
      OPENAI_API_KEY: "not-needed",
      OPENAI_BASE_URL: `${modelUrl}/v1`,
      // It sends images only to models whose names it knows.
      OPENAI_MODEL: "gpt-mock",
    },
    files: {
      ".qwen/settings.json": JSON.stringify({
        security: { auth: { selectedType: "openai" } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true },
        // By default, a model decides about permissions, and there is no todo tool.
        tools: { approvalMode: "default", todoWrite: { enabled: true } },
        // Both call the model after a turn.
        memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
        ui: { enableFollowupSuggestions: false },
      }),
    },
  }),
  hasSaved: async (home, text) => {
    const folder = join(home, ".qwen/projects");
    for (const name of await readdir(folder, { recursive: true })) {
      if (!name.endsWith(".jsonl")) continue;
      const records = (await readFile(join(folder, name), "utf8")).split("\n");
      // Telemetry with the same text is written earlier.
      if (records.some((line) => line.includes('"type":"assistant"') && line.includes(text)))
        return true;
    }
    return false;
  },
  tools: {
    plan: (todos) => [
      toolCall("todo_write", { todos: todos.map((todo, index) => ({ ...todo, id: `${index}` })) }),
    ],
    read: (path) => toolCall("read_file", { file_path: path }),
    write: (path, content) => toolCall("write_file", { file_path: path, content }),
    edit: (path, before, after) =>
      toolCall("edit", { file_path: path, old_string: before, new_string: after }),
    shell: (command) => toolCall("run_shell_command", { command, is_background: false }),
  },
};

const statuses: Record<PlannedStep["status"], string> = {
  pending: "pending",
  in_progress: "in_progress",
  completed: "done",
};

export const kimi: ModelRecipe = {
  name: "kimi",
  setUp: ({ home, modelUrl }) => ({
    env: { KIMI_CODE_HOME: join(home, ".kimi-code"), KIMI_CODE_NO_AUTO_UPDATE: "1" },
    files: {
      ".kimi-code/config.toml": [
        'default_model = "mock"',
        "telemetry = false",
        "[providers.mock]",
        'type = "openai"',
        `base_url = "${modelUrl}/v1"`,
        'api_key = "not-needed"',
        "[models.mock]",
        'provider = "mock"',
        'model = "mock-model"',
        "max_context_size = 131072",
        "",
      ].join("\n"),
    },
  }),
  tools: {
    plan: (todos) => [
      toolCall("TodoList", {
        todos: todos.map(({ content, status }) => ({ title: content, status: statuses[status] })),
      }),
    ],
    read: (path) => toolCall("Read", { path }),
    write: (path, content) => toolCall("Write", { path, content }),
    edit: (path, before, after) =>
      toolCall("Edit", { path, old_string: before, new_string: after }),
    shell: (command) => toolCall("Bash", { command }),
  },
};

const RECIPES: readonly ModelRecipe[] = [droid, claude, claudeZed, gemini, opencode, qwen, kimi];

/** The recipe for an agent of the catalogue, or undefined. */
export function modelRecipeFor(name: string): ModelRecipe | undefined {
  return RECIPES.find((recipe) => recipe.name === name);
}
