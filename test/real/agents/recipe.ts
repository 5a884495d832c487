import type { Step } from "../../support/model/index.ts";

export type AgentName = "kimi" | "claude-zed" | "opencode" | "gemini" | "qwen" | "claude";

/** Where an agent finds its things while it is tested. */
export interface Place {
  /** Its `node_modules`. */
  readonly modules: string;
  /** Its home folder, in the temp folder. */
  readonly home: string;
  /** The scripted model's address, without a path. */
  readonly modelUrl: string;
}

/** How to start an agent. */
export interface Start {
  readonly command: string;
  readonly args: readonly string[];
  /** Besides what every agent gets: nothing of the caller's environment but the PATH. */
  readonly env: Readonly<Record<string, string>>;
  /** Files to write first, by their place in the home folder. */
  readonly files?: Readonly<Record<string, string>>;
}

/** One entry of a plan, in the protocol's words. */
export interface Todo {
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed";
}

/** What the model has to say to make the agent use its tools: one step for each call of the model. */
export interface Tools {
  plan(todos: readonly Todo[]): readonly Step[];
  read(path: string): Step;
  write(path: string, content: string): Step;
  edit(path: string, before: string, after: string): Step;
  shell(command: string): Step;
}

/** Who does the work: this side, asked through `fs/*` or `terminal/*`, or the agent by itself. */
export type Hand = "client" | "agent";

/** What is asked about: a tool call by the agent; by this side, a file or a command it has not been told of. */
export type Question = "tool call" | "read" | "write" | "command";

/** What each scenario finds out. What holds for every agent is asserted there and is not among it. */
export interface Observed {
  /** `content: status`, as the session's plan has them at the end. */
  readonly plan: { readonly entries: readonly string[] };
  readonly read: { readonly by: Hand };
  readonly write: { readonly asked: readonly Question[]; readonly by: Hand };
  readonly edit: {
    readonly asked: readonly Question[];
    readonly by: Hand;
    /** How the paths of its diffs are written. */
    readonly diffPaths: readonly ("absolute" | "relative")[];
  };
  readonly shell: { readonly asked: readonly Question[]; readonly by: Hand };
  readonly cancelMidStream: { readonly stopReason: string };
  readonly cancelWhileAsked: { readonly stopReason: string };
  readonly reject: {
    readonly stopReason: string;
    /** Whether the model is told of the refusal and may go on. */
    readonly modelGoesOn: boolean;
    /** How the tool call ends in the session's state. */
    readonly toolCall: string;
  };
  readonly load: {
    readonly replays: readonly ("user" | "agent" | "tool call")[];
    /** Whether the replay is over when `session/load` is answered, as the protocol wants it. */
    readonly inTime: boolean;
  };
}

export type ScenarioName = keyof Observed;

export const scenarioTitles: Readonly<Record<ScenarioName, string>> = {
  plan: "plan",
  read: "read",
  write: "write with permission",
  edit: "edit with diff",
  shell: "shell",
  cancelMidStream: "cancel mid-stream",
  cancelWhileAsked: "cancel with an open permission",
  reject: "reject",
  load: "load in a fresh process",
};

export const scenarioNames: readonly ScenarioName[] = [
  "plan",
  "read",
  "write",
  "edit",
  "shell",
  "cancelMidStream",
  "cancelWhileAsked",
  "reject",
  "load",
];

export interface AgentRecipe {
  readonly name: AgentName;
  /** Its package and version on npm; the lock file has the same. */
  readonly package: string;
  readonly version: string;
  /** What `initialize` says of it. */
  readonly info: { readonly name: string; readonly version: string };
  /** The folder below `node_modules` that has its command by the name the catalogue knows. */
  readonly bin: string;
  /** Files below `node_modules` that have to be executable. */
  readonly executables: readonly string[];
  readonly start: (place: Place) => Start;
  /** False for an agent that would send the calls of its model through a proxy, NO_PROXY or not. */
  readonly heedsNoProxy: boolean;
  /** What this side has to do about a missing file for the agent to work. */
  readonly missingFile?: "empty";
  /** Whether a conversation that has this in it is on the disk; for an agent that says it is done before. */
  readonly hasSaved?: (home: string, text: string) => Promise<boolean>;
  /** What has to be done about its home before another process can load a conversation. */
  readonly beforeLoad?: (home: string) => Promise<void>;
  readonly tools: Tools;
  readonly expected: Observed;
  /** Why an expectation is what it is, where one would expect something else. */
  readonly reasons: Readonly<Partial<Record<ScenarioName, string>>>;
  /** Further peculiarities, for the page. */
  readonly quirks: readonly string[];
}

/** The plan every agent is made to have. */
export const wantedPlan: readonly Todo[] = [
  { content: "Look around", status: "completed" },
  { content: "Write the file", status: "in_progress" },
  { content: "Run the command", status: "pending" },
];

export const wholePlan: readonly string[] = wantedPlan.map(
  ({ content, status }) => `${content}: ${status}`,
);
