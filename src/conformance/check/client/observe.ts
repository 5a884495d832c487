import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { booleanField, objectField, stringField, type JsonObject } from "../../../base/index.ts";
import type { AgentFrame, CheckingAgent, ClientCall } from "./agent.ts";
import { ClientGoneError, ClientSilentError } from "./errors.ts";
import type { ClientCheck, Played, ScenarioOptions } from "./case.ts";
import { HELLO, type Scenario } from "./scenario.ts";

/** A turn whose observations are judged after the client has ended. */
export interface Observed<T> extends Played {
  /** Undefined if the turn did not take place, or not to its end. */
  readonly seen: T | undefined;
  /** Why there is nothing to judge. */
  readonly problem: string;
}

/**
 * Plays one turn. The agent does the work, says hello, and ends the turn, even if the client did not
 * answer something.
 */
export async function playTurn<T>(
  check: ClientCheck,
  work: (agent: CheckingAgent, call: ClientCall) => Promise<T>,
  options: ScenarioOptions & { readonly scenario?: Scenario | undefined } = {},
): Promise<Observed<T>> {
  let seen: T | undefined;
  let problem = "";
  const turn = async (agent: CheckingAgent, call: ClientCall): Promise<string> => {
    try {
      seen = await work(agent, call);
    } catch (error) {
      if (error instanceof ClientSilentError) problem = error.message;
      else if (error instanceof ClientGoneError) problem = `${error.message} during the turn`;
      else throw error;
    }
    await agent.say(HELLO);
    return "end_turn";
  };
  const { scenario, ...others } = options;
  const played = await check.play({ ...scenario, turn }, others);
  if (seen === undefined && problem === "") problem = promptProblem(played);
  return { ...played, seen, problem };
}

/** Why the client did not prompt, in a few words. */
export function promptProblem({ agent, end }: Pick<Played, "agent" | "end">): string {
  if (!agent) return "the client did not start the agent";
  const hasPrompted = agent.calls("session/prompt").length > 0;
  if (hasPrompted) return `the client ended in the turn${end ? `, with ${describeEnd(end)}` : ""}`;
  const methods = agent.received.map(
    ({ json }) => stringField(json ?? {}, "method") ?? "an answer",
  );
  const ending = end ? `and ended with ${describeEnd(end)}` : "and did not end in time";
  return `the client sent no prompt (it sent ${methods.join(", ") || "nothing"}) ${ending}`;
}

export function describeEnd(end: {
  readonly code: number | null;
  readonly signal: string | null;
}): string {
  return end.signal === null ? `exit code ${end.code}` : `signal ${end.signal}`;
}

/** Whether the turn reached its end for the user too: the text was shown, and the client ended as usual. */
export function turnProblem(check: ClientCheck, played: Played, text = HELLO): string | undefined {
  const { end, stdout, stderr } = played;
  if (!end) return "the client did not end within its time limit";
  if (check.baseline.exits && end.code !== check.baseline.code) {
    return `the client ended with ${describeEnd(end)}: ${lastLine(stderr)}`;
  }
  if (check.baseline.showsText && !stdout.includes(text)) {
    return `the client did not show the text "${text}"`;
  }
  return undefined;
}

/** Whether the user can see that something went wrong: an exit code, or a text. */
export function isReported(check: ClientCheck, { end, stdout, stderr }: Played): boolean {
  if (!end) return false;
  if (check.baseline.exits) return end.code !== check.baseline.code;
  return `${stdout}${stderr}`.trim() !== "";
}

export function lastLine(text: string): string {
  return text.trim().split("\n").at(-1)?.slice(0, 200) ?? "";
}

/** A new folder in the one that the agent works in: a script may run more than once there. */
export function scratchOf(agent: CheckingAgent): Promise<string> {
  return mkdtemp(join(agent.folder, "check-"));
}

/** The params of a frame; empty if there are none. */
export function paramsOf(frame: AgentFrame | undefined): JsonObject {
  return objectField(frame?.json ?? {}, "params") ?? {};
}

/** The result of a response; undefined if it is an error. */
export function resultOf(response: JsonObject): JsonObject | undefined {
  if ("error" in response) return undefined;
  return objectField(response, "result") ?? {};
}

/** A request of the checking agent and the client's response to it. Empty without a response. */
export function exchangeOf(
  agent: CheckingAgent | undefined,
  response: JsonObject | undefined,
): readonly AgentFrame[] {
  const answer = agent?.received.find(({ json }) => json === response);
  if (!agent || !answer) return [];
  const isRequest = ({ direction, json }: AgentFrame): boolean =>
    direction === "out" && json?.["id"] === answer.json?.["id"] && "method" in (json ?? {});
  return [...agent.frames.filter((frame) => isRequest(frame)), answer];
}

/** The code of an error; undefined if the response is not an error. */
export function codeOf(response: JsonObject): number | undefined {
  const error = objectField(response, "error");
  const code = error?.["code"];
  return typeof code === "number" ? code : undefined;
}

/** A response in a few words. */
export function describeResponse(response: JsonObject): string {
  const error = objectField(response, "error");
  if (error) return `error ${String(error["code"])}: ${String(error["message"])}`;
  return `the result ${JSON.stringify(response["result"] ?? null).slice(0, 200)}`;
}

/** Which files the client offers to read and write. */
export function offeredFiles(capabilities: JsonObject): { read: boolean; write: boolean } {
  const fs = objectField(capabilities, "fs") ?? {};
  return {
    read: booleanField(fs, "readTextFile") ?? false,
    write: booleanField(fs, "writeTextFile") ?? false,
  };
}

export function offersTerminals(capabilities: JsonObject): boolean {
  return booleanField(capabilities, "terminal") ?? false;
}

/** The response, or undefined if the client did not answer in time. */
export async function settled(response: Promise<JsonObject>): Promise<JsonObject | undefined> {
  return response.catch((): undefined => undefined);
}
