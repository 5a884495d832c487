import type { Step } from "../script.ts";

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
