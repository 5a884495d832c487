import { objectField, stringField, type JsonObject } from "../../../base/index.ts";
import type { AgentBehaviour, CallOutcome, CheckingAgent, ClientCall } from "./agent.ts";

export type CallHandler = (call: ClientCall) => CallOutcome | Promise<CallOutcome>;

/** Answers a prompt: with the stop reason, or as {@link CallOutcome} says. */
export type TurnHandler = (agent: CheckingAgent, call: ClientCall) => Promise<string | CallOutcome>;

/** How the checking agent behaves, from one start of the client to its end. */
export interface Scenario {
  /** Default: 1. */
  readonly protocol?: 1 | 2 | undefined;
  /** Its `agentCapabilities`. Default: it can load, list, resume, close and delete sessions. */
  readonly capabilities?: JsonObject | undefined;
  /** Its `authMethods`. Default: none. */
  readonly authMethods?: readonly JsonObject[] | undefined;
  /** Fields of the answer to `session/new` and `session/load`, besides the session id. */
  readonly session?: JsonObject | undefined;
  /** Runs when the client has started the agent. Default: nothing. */
  readonly begin?: ((agent: CheckingAgent) => Promise<void>) | undefined;
  /** Runs when the first prompt arrives, on any connection. Default: says hello. */
  readonly turn?: TurnHandler | undefined;
  /** Runs when a later prompt arrives: a script belongs to one prompt. Default: says hello. */
  readonly next?: TurnHandler | undefined;
  /** Answers in place of the default ones. */
  readonly methods?: Readonly<Record<string, CallHandler>> | undefined;
  /** Whether the agent goes on when its stdin has ended. */
  readonly ignoresEnd?: boolean | undefined;
}

/** The text that the checking agent answers with by default. */
export const HELLO = "hello-from-the-checking-agent";

/** The id of the session that can be loaded. */
export const STORED_SESSION = "check-stored-session";

const EVERYTHING: JsonObject = {
  loadSession: true,
  sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
};

/** The behaviour of all agents that one start of the client starts. */
export function behaviourOf(scenario: Scenario): AgentBehaviour {
  let prompts = 0;
  const turn: TurnHandler = (agent, call) => {
    prompts += 1;
    const { turn: first = sayHello, next = sayHello } = scenario;
    return prompts === 1 ? first(agent, call) : next(agent, call);
  };
  return {
    protocol: scenario.protocol ?? 1,
    ignoresEnd: scenario.ignoresEnd ?? false,
    begin: scenario.begin,
    answer: async (call) => {
      const { methods = {} } = scenario;
      // The client chooses the name, which may be a built-in property of objects.
      const handler = Object.hasOwn(methods, call.method) ? methods[call.method] : undefined;
      return handler ? handler(call) : defaultAnswer(scenario, turn, call);
    },
  };
}

async function sayHello(agent: CheckingAgent): Promise<string> {
  await agent.say(HELLO);
  return "end_turn";
}

/** Answers as an agent that works well. */
async function defaultAnswer(
  scenario: Scenario,
  turn: TurnHandler,
  call: ClientCall,
): Promise<CallOutcome> {
  const { agent, method, params } = call;
  switch (method) {
    case "initialize":
      return { result: initialized({}, scenario) };
    case "session/new":
      return { result: { sessionId: agent.sessionId, ...scenario.session } };
    case "session/load":
    case "session/resume":
      agent.sessionId = stringField(params, "sessionId") ?? agent.sessionId;
      return { result: { ...scenario.session } };
    case "session/list":
      return { result: { sessions: [storedSession(agent)] } };
    case "session/prompt": {
      const outcome = await turn(agent, call);
      return typeof outcome === "string" ? { result: { stopReason: outcome } } : outcome;
    }
    case "authenticate":
    case "logout":
    case "session/close":
    case "session/delete":
    case "session/set_mode":
      return { result: {} };
    case "session/set_config_option": {
      const configOptions = scenario.session?.["configOptions"] ?? [];
      return { result: { configOptions } };
    }
    default:
      return { error: { code: -32601, message: "method not found" } };
  }
}

/** The answer to `initialize`, with fields that replace others. */
export function initialized(more: JsonObject = {}, scenario: Scenario = {}): JsonObject {
  return {
    protocolVersion: 1,
    agentInfo: { name: "dragoman-check", version: "1" },
    agentCapabilities: scenario.capabilities ?? EVERYTHING,
    authMethods: scenario.authMethods ?? [],
    ...more,
  };
}

/** The stored session as `session/list` shows it. */
function storedSession(agent: CheckingAgent): JsonObject {
  const opened = agent.calls("session/list")[0]?.json ?? {};
  const cwd = stringField(objectField(opened, "params") ?? {}, "cwd") ?? agent.folder;
  return { sessionId: STORED_SESSION, cwd, title: "stored", updatedAt: "2026-01-01T00:00:00Z" };
}
