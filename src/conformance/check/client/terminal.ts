import {
  booleanField,
  objectField,
  quietly,
  stringField,
  type JsonObject,
} from "../../../base/index.ts";
import type { AgentQuestion, CheckingAgent } from "./agent.ts";
import type { ClientCheck, ScenarioOptions } from "./case.ts";
import { offersTerminals, playTurn, resultOf, type Observed } from "./observe.ts";

/** The program that runs in the client's terminals: Node itself, which is there for sure. */
export const NODE = process.execPath;

/** The answer to `terminal/output`. */
interface TerminalOutput {
  readonly text: string;
  readonly isCut: boolean;
  readonly exit: JsonObject | undefined;
  readonly raw: JsonObject;
}

/**
 * One terminal of the client. A client may leave a scenario that waits for several answers at once, so no
 * promise is reported as unhandled.
 */
export class ClientTerminal {
  readonly #agent: CheckingAgent;
  readonly id: string;
  readonly created: JsonObject;

  constructor(agent: CheckingAgent, created: JsonObject) {
    this.#agent = agent;
    this.created = created;
    this.id = stringField(resultOf(created) ?? {}, "terminalId") ?? "";
  }

  static create(
    agent: CheckingAgent,
    script: string,
    more: JsonObject = {},
  ): Promise<ClientTerminal> {
    const { sessionId } = agent;
    const params = { sessionId, command: NODE, args: ["-e", script], ...more };
    return quietly(
      async () => new ClientTerminal(agent, await agent.ask("terminal/create", params)),
    );
  }

  begin(method: string, sessionId = this.#agent.sessionId): AgentQuestion {
    return this.#agent.request(`terminal/${method}`, { sessionId, terminalId: this.id });
  }

  call(method: string, sessionId?: string): Promise<JsonObject> {
    return this.begin(method, sessionId).response;
  }

  output(): Promise<TerminalOutput> {
    return quietly(async () => {
      const raw = await this.call("output");
      const result = resultOf(raw) ?? {};
      return {
        text: stringField(result, "output") ?? "",
        isCut: booleanField(result, "truncated") ?? false,
        exit: objectField(result, "exitStatus"),
        raw,
      };
    });
  }

  /** The result of `wait_for_exit`, or an empty object. */
  exit(): Promise<JsonObject> {
    return quietly(async () => resultOf(await this.call("wait_for_exit")) ?? {});
  }
}

/** A turn with terminals, on a client that allows commands if its driver can make it. */
export async function withTerminals<T>(
  check: ClientCheck,
  ids: readonly string[],
  work: (agent: CheckingAgent) => Promise<T>,
  options: ScenarioOptions = {},
): Promise<Observed<T> | undefined> {
  if (!offersTerminals(check.baseline.allowing)) {
    for (const id of ids) check.skip(id, "the client does not offer terminals");
    return undefined;
  }
  let isDenied = false;
  const drive = options.drive ?? (check.has("allow") ? ["allow"] : []);
  const played = await playTurn(
    check,
    async (agent) => {
      const probe = await ClientTerminal.create(agent, "");
      isDenied = "error" in probe.created;
      if (isDenied) return undefined;
      await probe.call("release");
      return work(agent);
    },
    { ...options, drive },
  );
  if (isDenied && !check.has("allow")) {
    for (const id of ids)
      check.skip(id, 'the client denied the command, and the driver has no entry "allow"');
    return undefined;
  }
  if (played.seen !== undefined) return { ...played, seen: played.seen };
  for (const id of ids) {
    if (isDenied)
      check.fail(id, "a command runs in a terminal", "the client refused to create a terminal");
    else check.fail(id, "the client's terminals answer", played.problem);
  }
  return undefined;
}
