import { mkdirSync } from "node:fs";
import { expect } from "vitest";
import { mergeToolCall, type ToolCallState } from "../../../src/protocol/acp/state/tool-calls.ts";
import type { ToolCallPatch } from "../../../src/protocol/acp/updates.ts";
import { toToolCallPatch } from "../../../src/protocol/acp/parse/update.ts";
import { RpcError } from "../../../src/transport/rpc/errors.ts";
import type {
  GateOptions,
  GateSession,
  SessionAccess,
  SessionGateOptions,
} from "../../../src/client/gate/access.ts";
import { AgentGate } from "../../../src/client/gate/gate.ts";
import { localTerminals } from "../../../src/client/gate/providers/local-terminals.ts";
import type { LogFields, Logger } from "../../../src/base/logger.ts";
import { strictFaults } from "../../support/schema.ts";
import { scratch, type Scratch } from "./scratch.ts";

/** A session like the client's own, with its state open to tests. */
export class TestSession implements GateSession {
  readonly id: string;
  readonly roots: readonly string[];
  readonly access: SessionAccess;
  readonly calls = new Map<string, ToolCallState>();
  /** How often a person was asked. */
  questions = 0;
  /** How many of these questions are open. */
  open = 0;
  #turn = new AbortController();

  constructor(
    id: string,
    roots: readonly string[],
    gate: AgentGate,
    options: SessionGateOptions = {},
  ) {
    this.id = id;
    this.roots = roots;
    this.access = gate.access(roots, options);
  }

  get turnSignal(): AbortSignal {
    return this.#turn.signal;
  }

  signalFor(): AbortSignal {
    return this.turnSignal;
  }

  toolCall(id: string): ToolCallState | undefined {
    return this.calls.get(id);
  }

  noteToolCall(patch: ToolCallPatch): void {
    this.calls.set(patch.toolCallId, mergeToolCall(this.calls.get(patch.toolCallId), patch));
  }

  async asking<T>(work: () => Promise<T>): Promise<T> {
    this.questions++;
    this.open++;
    try {
      return await work();
    } finally {
      this.open--;
    }
  }

  /** Does the same as a `tool_call` or `tool_call_update` notification. */
  update(toolCall: Readonly<Record<string, unknown>>): void {
    const patch = toToolCallPatch(toolCall);
    if (patch) this.noteToolCall(patch);
  }

  cancel(): void {
    this.#turn.abort();
  }

  nextTurn(): void {
    this.#turn = new AbortController();
  }
}

/** The names of the answers in the protocol's schema. */
const RESULTS = new Map([
  ["session/request_permission", "RequestPermissionResponse"],
  ["fs/read_text_file", "ReadTextFileResponse"],
  ["fs/write_text_file", "WriteTextFileResponse"],
  ["terminal/create", "CreateTerminalResponse"],
  ["terminal/output", "TerminalOutputResponse"],
  ["terminal/wait_for_exit", "WaitForTerminalExitResponse"],
  ["terminal/kill", "KillTerminalResponse"],
  ["terminal/release", "ReleaseTerminalResponse"],
  ["elicitation/create", "CreateElicitationResponse"],
]);

/** A gate with one session over a scratch workspace. */
export interface Harness extends AsyncDisposable {
  readonly gate: AgentGate;
  readonly session: TestSession;
  readonly tree: Scratch;
  readonly logs: { level: string; message: string; fields: LogFields | undefined }[];
  /** Sends a request as an agent would, adds `sessionId` and checks the answer against the schema. */
  ask(method: string, params: object, signal?: AbortSignal): Promise<unknown>;
  /** Sends a request that must fail, and returns the error that the agent gets. */
  failure(method: string, params: object): Promise<RpcError>;
}

export function harness(options: GateOptions = {}, extraRoots: readonly string[] = []): Harness {
  const tree = scratch();
  mkdirSync(tree.ws);
  mkdirSync(tree.outside);
  const logs: Harness["logs"] = [];
  const at =
    (level: string) =>
    (message: string, fields?: LogFields): void =>
      void logs.push({ level, message, fields });
  const logger: Logger = {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
  };
  const gate = new AgentGate({ logger, ...options });
  const session = new TestSession("s1", [tree.ws, ...extraRoots], gate);
  const find = (id: string): GateSession | undefined => (id === session.id ? session : undefined);
  const never = new AbortController().signal;
  const ask: Harness["ask"] = async (method, params, signal = never) => {
    const withSession = { sessionId: session.id, ...params };
    const result = await gate.request(method, withSession, { id: 1, bytes: 0, signal }, find);
    const definition = RESULTS.get(method) ?? "no definition";
    expect([method, strictFaults(definition, result)]).toEqual([method, []]);
    return result;
  };
  return {
    gate,
    session,
    tree,
    logs,
    ask,
    async failure(method, params) {
      try {
        await ask(method, params);
      } catch (error) {
        if (error instanceof RpcError) return error;
        throw error;
      }
      throw new Error(`${method} did not fail`);
    },
    async [Symbol.asyncDispose]() {
      await gate.close();
      tree[Symbol.dispose]();
    },
  };
}

/** The parts of an error that an agent decides by. */
export function codeAndData(error: RpcError): { code: number; data: unknown } {
  return { code: error.rpcCode, data: error.data };
}

/** The options most agents offer. */
export const OPTIONS = [
  { optionId: "always", name: "Always", kind: "allow_always" },
  { optionId: "once", name: "Once", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
] as const;

/** Every request that an agent can send to a client. */
export const METHODS = [
  "session/request_permission",
  "fs/read_text_file",
  "fs/write_text_file",
  "terminal/create",
  "terminal/output",
  "terminal/wait_for_exit",
  "terminal/kill",
  "terminal/release",
  "elicitation/create",
] as const;

/** Options that open everything. */
export const EVERYTHING: GateOptions = {
  permissions: "all",
  capabilities: { fs: { writeTextFile: true } },
  terminal: localTerminals(),
  elicitation: { form: () => ({ action: "decline" }), url: () => ({ action: "decline" }) },
};
