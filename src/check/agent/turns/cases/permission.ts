import { join } from "node:path";
import { paramsFaults } from "../../../../conformance/index.ts";
import { type JsonObject, stringField } from "../../../../wire/index.ts";
import type { SubjectRequest } from "../../../harness/incoming.ts";
import { describeReply, isAnswered, type CallReply, shown } from "../../../harness/reply.ts";
import { type AgentCheck, evidence } from "../../agent-check.ts";
import type { AgentCase } from "../../case.ts";
import {
  allow,
  CANCELLED,
  optionOfKind,
  optionsOf,
  PERMISSION,
  select,
} from "../client/permissions.ts";
import { askingTurn, type HeldTurn, ifUnmet } from "../moments.ts";
import { Stage } from "../stage.ts";
import { exists } from "../wait.ts";

const KINDS: ReadonlySet<unknown> = new Set([
  "allow_once",
  "allow_always",
  "reject_once",
  "reject_always",
]);

type Asking = HeldTurn & { readonly request: SubjectRequest; readonly path: string };

/** A turn that waits for permission to write a new file in a new session. */
async function asking(stage: Stage): Promise<Asking> {
  const session = await stage.session();
  const path = join(session.cwd, "made.txt");
  return { ...(await askingTurn(stage, session, path)), path };
}

const options: AgentCase = {
  name: "permission/options",
  ids: ["DRA-PERM-01", "DRA-PERM-02", "DRA-PERM-04"],
  process: "fresh",
  needs: "model",
  isTraffic: true,
  run: async (check) => {
    const stage = await Stage.open(check);
    const first = await asking(stage);
    judgeRequest(check, stage, first.request);
    await judgeNoEffect(check, stage, first);
    const offered = onceFirst(optionsOf(first.request));
    let turn: Asking = first;
    for (const [at, option] of offered.entries()) {
      await judgeOption(check, stage, turn, option);
      if (at === offered.length - 1) break;
      // An option such as "always" may hold for every later session, and then the agent asks no more.
      const next = await asking(stage).catch(ifUnmet);
      if (!next) break;
      turn = next;
    }
  },
};

/** Options that hold for longer come last, because the agent may not ask again after them. */
function onceFirst(offered: readonly JsonObject[]): readonly JsonObject[] {
  const isOnce = ({ kind }: JsonObject): boolean => kind === "allow_once" || kind === "reject_once";
  return [...offered.filter(isOnce), ...offered.filter((option) => !isOnce(option))];
}

function judgeRequest(check: AgentCheck, { link }: Stage, request: SubjectRequest): void {
  const { method, params, n } = request;
  const rules = { from: "agent", isRequest: true, protocol: 1, isUnstable: true } as const;
  const [fault] = paramsFaults(method, params, rules);
  const offered = optionsOf(request);
  const ids = offered.map((option) => stringField(option, "optionId"));
  const odd = offered.find(({ kind }) => !KINDS.has(kind));
  const problem =
    (fault && `${fault.path} ${fault.message}`) ??
    (offered.length === 0 ? "no option" : undefined) ??
    (new Set(ids).size < ids.length ? `option ids ${shown(ids)}` : undefined) ??
    (odd && `the kind ${shown(odd["kind"])}`);
  check.judge("DRA-PERM-01", problem === undefined, `${offered.length} options`, {
    expected: "a valid request with at least one option, unique ids and known kinds",
    actual: problem ?? "",
    frames: evidence(link, n),
  });
}

async function judgeNoEffect(check: AgentCheck, stage: Stage, turn: Asking): Promise<void> {
  await stage.link.barrier();
  check.judge("DRA-PERM-04", !(await exists(turn.path)), "no file before the answer", {
    expected: "no effect while the permission request is open",
    actual: "the file was written before the answer",
    frames: evidence(stage.link, turn.n, turn.request.n),
  });
}

async function judgeOption(
  check: AgentCheck,
  stage: Stage,
  turn: Asking,
  option: JsonObject,
): Promise<void> {
  // Further questions of the same turn get the same kind of answer.
  stage.permission = (request) => select(optionOfKind(request, [String(option["kind"])]));
  await turn.request.answer(select(option));
  const end = await stage.endOf(turn);
  const isAllowed = String(option["kind"]).startsWith("allow");
  const isDone = await exists(turn.path);
  const name = `${shown(option["optionId"])} (${String(option["kind"])})`;
  check.judge("DRA-PERM-02", isDone === isAllowed, `${name}: ${isDone ? "ran" : "did not run"}`, {
    expected: isAllowed ? `the tool to run after ${name}` : `the tool not to run after ${name}`,
    actual: `${isDone ? "it ran" : "it did not run"}; ${describeReply(end)}`,
    frames: evidence(stage.link, turn.request.n, end),
  });
}

/** Answers that are not an approval. */
const DENIALS: readonly {
  readonly id: string;
  readonly what: string;
  readonly answer: (stage: Stage, request: SubjectRequest) => Promise<void>;
}[] = [
  {
    id: "DRA-PERM-03",
    what: "a rejection",
    answer: (_, request) =>
      request.answer(select(optionOfKind(request, ["reject_once", "reject_always"]))),
  },
  {
    id: "DRA-PERM-03",
    what: "the outcome cancelled",
    answer: (_, request) => request.answer(CANCELLED),
  },
  {
    id: "DRA-PERM-05",
    what: "an error",
    answer: (_, request) => request.answer({ error: { code: -32603, message: "no answer" } }),
  },
  {
    id: "DRA-PERM-05",
    what: "an unknown option id",
    answer: (_, request) =>
      request.answer({ result: { outcome: { outcome: "selected", optionId: "no-such-option" } } }),
  },
  {
    id: "DRA-PERM-05",
    what: "an unknown outcome",
    // Not valid, on purpose.
    answer: ({ link }, { id }) => link.answerRaw({ id, result: { outcome: { outcome: "maybe" } } }),
  },
];

const denied: AgentCase = {
  name: "permission/denied",
  ids: ["DRA-PERM-03", "DRA-PERM-05"],
  process: "fresh",
  needs: "model",
  run: async (check) => {
    const stage = await Stage.open(check);
    for (const { id, what, answer } of DENIALS) {
      const turn = await asking(stage);
      stage.permission = () => CANCELLED;
      await answer(stage, turn.request);
      const end: CallReply = await stage.endOf(turn);
      const hasRun = await exists(turn.path);
      check.judge(id, !hasRun && isAnswered(end), what, {
        expected: `the tool not to run after ${what}, and the turn to end`,
        actual: `${hasRun ? "it ran" : "it did not run"}; ${describeReply(end)}`,
        frames: evidence(stage.link, turn.request.n, end),
      });
      if (!isAnswered(end)) return;
    }
  },
};

const once: AgentCase = {
  name: "permission/once",
  ids: ["DRA-PERM-06"],
  process: "fresh",
  needs: "model",
  run: async (check) => {
    const stage = await Stage.open(check);
    const session = await stage.session();
    const first = await askingTurn(stage, session, join(session.cwd, "first.txt"));
    const option = optionOfKind(first.request, ["allow_once"]);
    if (!option) {
      check.untested("DRA-PERM-06", "the agent offers no option of the kind allow_once");
      return;
    }
    await first.request.answer(select(option));
    stage.permission = allow;
    const end = await stage.endOf(first);
    const content = "second\n";
    const acts = [{ tool: "write", path: join(session.cwd, "second.txt"), content }] as const;
    const second = await stage.turn(session, { acts });
    const asked = stage.requests(PERMISSION, second.n);
    check.judge("DRA-PERM-06", asked.length > 0, "asked again for the second call", {
      expected: "a permission request for the second call, after allow_once for the first",
      actual: "no permission request",
      frames: evidence(stage.link, first.request.n, end, second.n, second.end),
    });
  },
};

export const permissionCases: readonly AgentCase[] = [options, denied, once];
