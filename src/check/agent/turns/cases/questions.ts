import {
  smallestOf,
  text,
  toolCall,
  type PlannedStep,
  type ScriptEntry,
} from "../../../../model/index.ts";
import { asObject, type JsonObject, objectsField } from "../../../../wire/index.ts";
import { Unmet } from "../../../harness/errors.ts";
import type { ClientAnswer } from "../../../harness/incoming.ts";
import { describeReply, isAnswered } from "../../../harness/reply.ts";
import { type AgentCheck, evidence } from "../../agent-check.ts";
import type { AgentCase } from "../../case.ts";
import { modelCase } from "../model-case.ts";
import { Stage, type StageSession, type StageTurn } from "../stage.ts";

const ELICITATION = "elicitation/create";

/** A step that calls the agent's tool for questions to the user, if it has one. */
const askStep: ScriptEntry = ({ tools }) => {
  const tool = tools.find(({ name }) => /ask|question|elicit/i.test(name));
  if (!tool) return text("There is no tool for questions.");
  return toolCall(tool.name, asObject(smallestOf(asObject(tool.schema))));
};

function beginQuestion(stage: Stage, session: StageSession): StageTurn {
  if (!stage.model) return stage.beginPrompt(session, "ask");
  const known = stage.check.run.subject.recipe?.tools.ask?.();
  return stage.begin(session, { ending: [known ?? askStep, text("Thank you.")] });
}

const FORM: JsonObject = { elicitation: { form: {} } };

const notOffered: AgentCase = {
  name: "elicitation/not-offered",
  ids: ["ACP-CLIENTCAP-003"],
  process: "fresh",
  needs: "model",
  run: async (check) => {
    const id = "ACP-CLIENTCAP-003";
    const offers: readonly JsonObject[] = [{}, { elicitation: {} }, { elicitation: { url: {} } }];
    let turns = 0;
    for (const capabilities of offers) {
      const stage = await Stage.open(check, { capabilities });
      const turn = beginQuestion(stage, await stage.session());
      const end = await stage.endOf(turn);
      const wrong = stage
        .requests(ELICITATION)
        .find(({ params }) => capabilities !== offers[2] || params["mode"] !== "url");
      if (wrong) {
        check.fail(id, {
          expected: `no question to a client that offers ${JSON.stringify(capabilities)}`,
          actual: `a question of the mode ${String(wrong.params["mode"])}`,
          frames: evidence(stage.link, wrong.n),
        });
        return;
      }
      if (isAnswered(end)) turns++;
      await stage.link.transport.end();
    }
    await judgeAsks(check, turns);
  },
};

/** A pass means something only if the agent asks when it may. */
async function judgeAsks(check: AgentCheck, turns: number): Promise<void> {
  const stage = await Stage.open(check, { capabilities: FORM });
  const turn = beginQuestion(stage, await stage.session());
  await stage.endOf(turn);
  if (stage.requests(ELICITATION).length === 0)
    check.untested("ACP-CLIENTCAP-003", "the agent asks no questions, even if it may");
  else check.pass("ACP-CLIENTCAP-003", `${turns} turns without a question that is not offered`);
}

const ANSWERS: readonly { readonly what: string; readonly answer: ClientAnswer }[] = [
  { what: "decline", answer: { result: { action: "decline" } } },
  { what: "cancel", answer: { result: { action: "cancel" } } },
  { what: "an error", answer: { error: { code: -32602, message: "not supported" } } },
];

const answers: AgentCase = {
  name: "elicitation/answers",
  ids: ["DRA-ELI-02"],
  process: "fresh",
  needs: "model",
  run: async (check) => {
    const stage = await Stage.open(check, { capabilities: FORM });
    for (const { what, answer } of ANSWERS) {
      stage.elicitation = () => answer;
      const turn = beginQuestion(stage, await stage.session());
      const end = await stage.endOf(turn);
      const asked = stage.requests(ELICITATION, turn.n);
      if (asked.length === 0) throw new Unmet("the agent asked no question");
      check.judge("DRA-ELI-02", isAnswered(end), what, {
        expected: `the turn to end after ${what}`,
        actual: describeReply(end),
        frames: evidence(stage.link, ...asked.map(({ n }) => n), end),
      });
      if (!isAnswered(end)) return;
    }
  },
};

const FIRST: readonly PlannedStep[] = [
  { content: "Look around", status: "in_progress" },
  { content: "Write the file", status: "pending" },
  { content: "Run the command", status: "pending" },
];
const LATER: readonly PlannedStep[] = [
  { content: "Look around", status: "completed" },
  { content: "Write the file", status: "in_progress" },
  { content: "Run the command", status: "pending" },
];

const STATUSES = new Set<unknown>(["pending", "in_progress", "completed"]);
const PRIORITIES = new Set<unknown>(["high", "medium", "low"]);

const plans = modelCase({
  name: "plan/todo-tool",
  ids: ["DRA-PLAN-01", "DRA-PLAN-02"],
  process: "fresh",
  run: async (check) => {
    const stage = await Stage.open(check);
    stage.needModel();
    const session = await stage.session();
    // A second list would be new tasks for an agent that adds tasks one by one.
    const isIncremental = (stage.check.run.subject.recipe?.tools.plan(FIRST).length ?? 1) > 1;
    const lists = isIncremental ? [FIRST] : [FIRST, LATER];
    const turns = [];
    for (const entries of lists)
      turns.push(await stage.turn(session, { acts: [{ tool: "plan", entries }] }));
    const after = turns[0]?.n ?? 0;
    const shown = stage.link
      .updates(session.id, after)
      .filter(({ update }) => update["sessionUpdate"] === "plan");
    const frames = evidence(stage.link, after, ...shown.map(({ n }) => n));
    check.judge("DRA-PLAN-01", shown.length > 0, `${shown.length} plans`, {
      expected: "a plan when the model uses the tool for tasks",
      actual: "no plan",
      frames,
    });
    const last = shown.at(-1);
    if (!last) return;
    const entries = objectsField(last.update, "entries");
    const wanted = lists.at(-1) ?? FIRST;
    const isWhole = wanted.every(({ content, status }) =>
      entries.some((entry) => entry["content"] === content && entry["status"] === status),
    );
    const isValid = shown
      .flatMap(({ update }) => objectsField(update, "entries"))
      .every(({ status, priority }) => STATUSES.has(status) && PRIORITIES.has(priority));
    check.judge("DRA-PLAN-02", isWhole && isValid, `${entries.length} entries`, {
      expected: "every entry in each plan, with a known status and priority",
      actual: JSON.stringify(entries),
      frames,
    });
  },
});

export const questionCases: readonly AgentCase[] = [notOffered, answers, plans];
