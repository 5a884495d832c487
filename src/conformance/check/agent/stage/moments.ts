import { join } from "node:path";
import { hang, type ScriptedCall, text } from "../../../scripted-model/index.ts";
import { quiet } from "../../../../base/index.ts";
import { Unmet } from "../../harness/errors.ts";
import { hold, PERMISSION, type SubjectRequest } from "../../harness/client-answers.ts";
import type { Stage, StageSession, StageTurn } from "./stage.ts";
import { exists, untilTrue, valueWithin } from "./turn-facts.ts";

/** A turn that was brought to a certain moment and waits there. */
export interface HeldTurn extends StageTurn {
  /** The call of the model that is held. */
  readonly call?: ScriptedCall | undefined;
  /** Lets the model go on. */
  release(): void;
}

/** A turn in which a request of the agent waits for an answer. */
export interface AskingTurn extends HeldTurn {
  readonly request: SubjectRequest;
}

const BEGIN = "I am working on it.";

/** A turn whose model has sent a text and holds the rest back, or a slow turn that has begun to speak. */
export async function streamingTurn(
  stage: Stage,
  session: StageSession,
  isAlongside = false,
): Promise<HeldTurn> {
  const { turnMs } = stage.check.pace;
  if (!stage.model) {
    const turn = stage.beginPrompt(session, "slow");
    await spoken(stage, turn);
    return { ...turn, release: () => {} };
  }
  const gate = hang();
  const ending = [[text(BEGIN), gate, text(" The end.")]];
  const turn = stage.begin(session, { ending, isAlongside });
  const call = await valueWithin(gate.arrived, turnMs);
  if (!call) throw new Unmet("the agent did not call the model");
  return { ...turn, call, release: () => gate.release() };
}

/** Waits for the first sign of a turn. */
async function spoken(stage: Stage, { session, n }: StageTurn): Promise<void> {
  const first = await stage.link.until(
    () => stage.link.updates(session.id, n).some(({ update }) => isChunk(update["sessionUpdate"])),
    { after: n, limitMs: stage.check.pace.turnMs },
  );
  if (!first) throw new Unmet("the slow prompt showed nothing");
}

function isChunk(kind: unknown): boolean {
  return kind === "agent_message_chunk" || kind === "agent_thought_chunk";
}

/** A turn that waits for permission to write `path`. Throws {@link Unmet} if the agent never asks. */
export async function askingTurn(
  stage: Stage,
  session: StageSession,
  path = join(session.cwd, "asked.txt"),
): Promise<AskingTurn> {
  stage.permission = hold;
  const turn = stage.begin(session, { acts: [{ tool: "write", path, content: "asked\n" }] });
  const request = await nextRequest(stage, turn, PERMISSION);
  if (!request) throw new Unmet("the agent did not ask for permission to write a file");
  return { ...turn, request, release: () => {} };
}

/** The next request with a method in a turn; undefined if the turn ends before one. */
async function nextRequest(
  stage: Stage,
  turn: StageTurn,
  method: string,
): Promise<SubjectRequest | undefined> {
  const found = await stage.link.until(
    ({ direction, message }) =>
      direction === "in" &&
      ((message.kind === "request" && message.method === method) ||
        ((message.kind === "result" || message.kind === "error") && message.id === turn.id)),
    { after: turn.n, limitMs: stage.check.pace.turnMs },
  );
  stage.needTools();
  return found && stage.link.requests.find(({ n }) => n === found.n);
}

/** A turn that waits for the client's answer about a file or a terminal. */
export async function requestingTurn(stage: Stage, session: StageSession): Promise<AskingTurn> {
  const path = join(session.cwd, "wanted.txt");
  const tries = [
    { method: "fs/read_text_file", act: { tool: "read", path } },
    { method: "terminal/create", act: { tool: "shell", command: "echo hello" } },
  ] as const;
  for (const { method, act } of tries) {
    if (!stage.canDo(act)) continue;
    stage.answer(method, "hold");
    const turn = stage.begin(session, { acts: [act] });
    const request = await nextRequest(stage, turn, method);
    if (request) return { ...turn, request, release: () => {} };
  }
  throw new Unmet("the agent uses neither the files nor the terminals of the client");
}

/** The command of {@link runningTurn} runs this long, unless it is ended. */
const LONG_SECONDS = 300;

/** A turn whose command is running. `pidFile` will hold the id of its process. */
export async function runningTurn(
  stage: Stage,
  session: StageSession,
  pidFile: string,
): Promise<HeldTurn> {
  const command = `echo $$ > ${pidFile}.part; mv ${pidFile}.part ${pidFile}; sleep ${LONG_SECONDS}`;
  const turn = stage.begin(session, { acts: [{ tool: "shell", command }] });
  let isOver = false;
  void quiet(turn.reply.then(() => (isOver = true)));
  await untilTrue(async () => isOver || (await exists(pidFile)), stage.check.pace.turnMs);
  stage.needTools();
  if (!(await exists(pidFile))) throw new Unmet("the agent did not run the command");
  return { ...turn, release: () => {} };
}
