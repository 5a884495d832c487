export interface PromptStep {
  readonly do: "prompt";
  readonly text: string;
  /** How to answer permission requests, once. */
  readonly permission?: "allow" | "deny";
  /** Cancel the turn as soon as the agent's messages contain this text. */
  readonly cancelAt?: string;
}

/** One step that a client performs. */
export type Step =
  | { readonly do: "open" }
  | { readonly do: "load"; readonly sessionId: string }
  | PromptStep;

/** The outcome of a step, as far as the client reports it. */
export interface StepResult {
  /** The session that was opened or loaded. */
  readonly sessionId?: string;
  /** The text of the agent's messages in the turn. */
  readonly text?: string;
  /** Undefined if the client does not show it. */
  readonly stopReason?: string;
}

/** How a client starts the agent. */
export interface AgentCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment, for the client and the agent. */
  readonly env: Readonly<Record<string, string>>;
  /** The folder of the session, and of the client. */
  readonly cwd: string;
}

export const scenarioNames = ["prompt", "deny", "allow", "cancel", "promptAgain", "load"] as const;

export type ScenarioName = (typeof scenarioNames)[number];

export const scenarioTitles: Readonly<Record<ScenarioName, string>> = {
  prompt: "prompt",
  deny: "deny",
  allow: "allow",
  cancel: "cancel",
  promptAgain: "prompt again",
  load: "load",
};

/** A client that someone else wrote. */
export interface ForeignClient {
  readonly name: string;
  /** Where it comes from, for the page. */
  readonly source: string;
  readonly version: string;
  /** Why the client is not tested on this machine; undefined if it is. */
  readonly unavailable?: () => string | undefined;
  /** The folder of its packages below `packages`, and what to install there. */
  readonly install?: {
    readonly folder: string;
    readonly package: string;
    readonly executables: readonly string[];
  };
  /** The scenarios that it does not offer, with the reason. */
  readonly notOffered: Readonly<Partial<Record<ScenarioName, string>>>;
  /** Whether it always sends the same prompt, whatever the step says. */
  readonly hasFixedPrompt?: boolean;
  /** Further remarks for the page. */
  readonly remarks: readonly string[];
  /** Starts the client with the agent, does the steps in order, and ends both. */
  readonly run: (agent: AgentCommand, steps: readonly Step[]) => Promise<readonly StepResult[]>;
}
