import { readdir, readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { toolCall, type Step } from "./script-parts.ts";

/** The home folder of an agent, and the model that it shall use. */
interface RecipePaths {
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

/** A call of a tool that takes its values under these names, besides fixed ones. */
function calling(
  tool: string,
  names: readonly string[],
  fixed: Readonly<Record<string, unknown>> = {},
): (...values: readonly string[]) => Step {
  return (...values) => {
    const given = names.map((name, index) => [name, values[index]] as const);
    return toolCall(tool, { ...Object.fromEntries(given), ...fixed });
  };
}

/** A plan in one call: each entry in the form of the agent's list of todos. */
function planning(
  tool: string,
  entry: (step: PlannedStep, index: number) => object,
): ScriptedTools["plan"] {
  return (todos) => [toolCall(tool, { todos: todos.map(entry) })];
}

/** Droid behind droid-acp. Its own services are sent to the scripted model, which has none of them. */
const droid: ModelRecipe = {
  name: "droid",
  setUp: ({ modelUrl }) => ({
    args: ["--model", "custom:mock-1"],
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
            model: "mock-1",
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
    plan: (entries) => {
      const lines = entries.map(({ content, status }, at) => `${at + 1}. [${status}] ${content}`);
      return [toolCall("TodoWrite", { todos: lines.join("\n") })];
    },
    read: calling("Read", ["file_path"]),
    write: calling("Create", ["file_path", "content"]),
    edit: calling("Edit", ["file_path", "old_str", "new_str"]),
    shell: calling("Execute", ["command"], {
      summary: "Runs a command",
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
function setUpClaude({ home, modelUrl }: RecipePaths): ModelSetup {
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
    read: calling("Read", ["file_path"]),
    write: calling("Write", ["file_path", "content"]),
    edit: calling("Edit", ["file_path", "old_string", "new_string"]),
    shell: calling("Bash", ["command"]),
  },
};

export const claudeZed: ModelRecipe = {
  name: "claude-zed",
  setUp: setUpClaude,
  tools: {
    plan: planning("TodoWrite", (todo) => ({ ...todo, activeForm: todo.content })),
    read: calling("mcp__acp__Read", ["file_path"]),
    write: calling("mcp__acp__Write", ["file_path", "content"]),
    edit: calling("mcp__acp__Edit", ["file_path", "old_string", "new_string"]),
    shell: calling("mcp__acp__Bash", ["command"], { timeout: 20_000 }),
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
    plan: planning("write_todos", ({ content, status }) => ({ description: content, status })),
    read: calling("read_file", ["file_path"]),
    write: calling("write_file", ["file_path", "content"]),
    edit: calling("replace", ["file_path", "old_string", "new_string"], {
      instruction: "Change the line",
    }),
    shell: calling("run_shell_command", ["command"]),
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
    plan: planning("todowrite", (todo) => ({ ...todo, priority: "medium" })),
    read: calling("read", ["filePath"]),
    write: calling("write", ["filePath", "content"]),
    edit: calling("edit", ["filePath", "oldString", "newString"]),
    shell: calling("bash", ["command"], { description: "Runs a command" }),
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
    plan: planning("todo_write", (todo, index) => ({ ...todo, id: `${index}` })),
    read: calling("read_file", ["file_path"]),
    write: calling("write_file", ["file_path", "content"]),
    edit: calling("edit", ["file_path", "old_string", "new_string"]),
    shell: calling("run_shell_command", ["command"], { is_background: false }),
  },
};

const KIMI_STATUSES: Readonly<Record<PlannedStep["status"], string>> = {
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
    plan: planning("TodoList", ({ content, status }) => ({
      title: content,
      status: KIMI_STATUSES[status],
    })),
    read: calling("Read", ["path"]),
    write: calling("Write", ["path", "content"]),
    edit: calling("Edit", ["path", "old_string", "new_string"]),
    shell: calling("Bash", ["command"]),
  },
};

const RECIPES: readonly ModelRecipe[] = [droid, claude, claudeZed, gemini, opencode, qwen, kimi];

/** The recipe for an agent of the catalogue, or undefined. */
export function modelRecipeFor(name: string): ModelRecipe | undefined {
  return RECIPES.find((recipe) => recipe.name === name);
}
