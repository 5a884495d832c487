import { createServer } from "node:http";
import {
  asObject,
  deferred,
  isJsonObject,
  objectField,
  type JsonObject,
} from "../../../../base/index.ts";
import { NotApplicable, Unmet } from "../../harness/errors.ts";
import {
  describeReply,
  INVALID_PARAMS,
  isAnswered,
  isError,
  METHOD_NOT_FOUND,
  resultOf,
  shown,
  type CallReply,
} from "../../harness/reply.ts";
import type { AgentQuestion, CheckingAgent } from "../agent.ts";
import type { ClientCase, ClientCheck } from "../case.ts";
import { playTurn, tryTurn, turnCase } from "../play-turn.ts";
import {
  beginPermission,
  decisionOf,
  isOfferedPermission,
  PERMISSION_OPTIONS,
  type OfferedOption,
} from "../permission-request.ts";
import type { CallHandler } from "../scenario.ts";
import { playCancelled } from "./cancel.ts";

const answered = turnCase({ ids: ["DRC-PERM-01"] }, async (agent, { judge }) => {
  const reply = await beginPermission(agent).answer;
  judge("DRC-PERM-01", isOfferedPermission(reply), reply);
});

type Policy = "allow" | "deny";

/** A decision of a client that is set to allow or deny everything. */
interface Decision {
  readonly policy: Policy;
  /** The kind of the chosen option, `cancelled`, `invalid` or `not offered`. */
  readonly kind: string;
  readonly options: readonly OfferedOption[];
  readonly reply: CallReply;
}

type Questions = readonly (readonly OfferedOption[])[];

/** Asks all questions in one turn, with each policy that the driver can set. */
async function judgeDecisions(
  check: ClientCheck,
  id: string,
  questions: Readonly<Record<Policy, Questions>>,
  isKept: (decision: Decision) => boolean,
): Promise<void> {
  const policies = (["allow", "deny"] as const).filter((policy) => check.has(policy));
  if (policies.length === 0) throw new NotApplicable('the driver has no entry "allow" or "deny"');
  const kinds = new Set<string>();
  for (const policy of policies) {
    const { seen } = await playTurn(
      check,
      async (agent) => {
        const decisions: Decision[] = [];
        for (const options of questions[policy]) {
          const reply = await beginPermission(agent, { options }).answer;
          decisions.push({ policy, kind: kindOf(options, reply), options, reply });
        }
        return decisions;
      },
      { drive: [policy] },
    );
    const wrong = seen.find((decision) => !isKept(decision));
    if (wrong) {
      const offered = wrong.options.map(({ kind }) => kind).join(", ") || "no options";
      check.judge(id, false, `set to ${policy}, of ${offered}`, wrong.kind, wrong.reply);
      return;
    }
    for (const { kind } of seen) kinds.add(`${policy}: ${kind}`);
  }
  check.judge(id, true, `the decisions were ${[...kinds].join("; ")}`);
}

function kindOf(options: readonly OfferedOption[], reply: CallReply): string {
  const decision = decisionOf(reply);
  if (typeof decision === "string") return decision;
  return options.find(({ optionId }) => optionId === decision.optionId)?.kind ?? "not offered";
}

const RIGHT: Readonly<Record<Policy, readonly string[]>> = {
  allow: ["allow_once"],
  deny: ["reject_once", "cancelled"],
};

const allOrders: ClientCase = {
  ids: ["DRC-PERM-02"],
  run: async (check) => {
    const orders = permutations(PERMISSION_OPTIONS);
    const questions = { allow: orders, deny: orders };
    await judgeDecisions(check, "DRC-PERM-02", questions, ({ policy, kind }) =>
      RIGHT[policy].includes(kind),
    );
  },
};

const UNFITTING: Questions = [[], [{ optionId: "o-55", name: "Perhaps", kind: "perhaps" }]];

const noFittingOption: ClientCase = {
  ids: ["DRC-PERM-03"],
  run: async (check) => {
    const only = (kind: string): readonly OfferedOption[] =>
      PERMISSION_OPTIONS.filter((option) => option.kind.startsWith(kind));
    const questions = {
      allow: [only("reject"), ...UNFITTING],
      deny: [only("allow"), ...UNFITTING],
    };
    // An error is not an approval either.
    await judgeDecisions(
      check,
      "DRC-PERM-03",
      questions,
      ({ kind, reply }) =>
        ["cancelled", "reject_once", "reject_always"].includes(kind) || reply.kind === "error",
    );
  },
};

const TWO_OF_A_KIND = [
  { optionId: "o-1", name: "Once, quickly", kind: "allow_once" },
  { optionId: "o-2", name: "Once, slowly", kind: "allow_once" },
  { optionId: "o-3", name: "No", kind: "reject_once" },
];

const chosenOption = turnCase(
  {
    ids: ["DRC-PERM-04"],
    needs: ["choose"],
    values: { option: "o-2", name: "Once, slowly" },
  },
  async (agent, { judge }) => {
    const reply = await beginPermission(agent, { options: TWO_OF_A_KIND }).answer;
    const decision = decisionOf(reply);
    const isKept = typeof decision === "object" && decision.optionId === "o-2";
    judge("DRC-PERM-04", isKept, 'the choice is "Once, slowly"', reply);
  },
);

const unusual: ClientCase = {
  ids: ["DRC-PERM-06"],
  run: async (check) => {
    let early: Promise<CallReply | undefined> = Promise.resolve(undefined);
    const opening: CallHandler = async ({ agent, id }) => {
      await agent.send({ id, result: { sessionId: agent.sessionId } });
      early = beginPermission(agent).reply;
      return undefined;
    };
    await playTurn(
      check,
      async (agent, { judge }) => {
        const replies = {
          "for a call that was not announced": await beginPermission(agent).reply,
          "for an unknown session": await beginPermission(agent, { sessionId: "unknown-session" })
            .reply,
          "before the turn": await early,
        };
        for (const [when, reply] of Object.entries(replies))
          judge("DRC-PERM-06", reply !== undefined && isAnswered(reply), when, reply);
      },
      { scenario: { methods: { "session/new": opening } } },
    );
  },
};

/** All orders of a list. */
function permutations<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((first, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [first, ...rest]),
  );
}

/** One field of each type. */
const SCHEMA = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1, title: "Name" },
    count: { type: "integer", minimum: 1, maximum: 5, title: "Count" },
    ratio: { type: "number", title: "Ratio" },
    isSure: { type: "boolean", title: "Sure" },
    colour: { type: "string", enum: ["red", "green"], title: "Colour" },
  },
  required: ["name", "count", "isSure", "colour"],
} as const;

function offered(capabilities: JsonObject): { readonly form: boolean; readonly url: boolean } {
  const elicitation = objectField(capabilities, "elicitation") ?? {};
  return { form: isJsonObject(elicitation["form"]), url: isJsonObject(elicitation["url"]) };
}

function beginForm(agent: CheckingAgent): AgentQuestion {
  const { sessionId } = agent;
  const params = { sessionId, mode: "form", message: "Fill this in", requestedSchema: SCHEMA };
  return agent.begin("elicitation/create", params);
}

function beginVisit(agent: CheckingAgent, url: string): AgentQuestion {
  const { sessionId } = agent;
  const params = {
    sessionId,
    mode: "url",
    message: "Open this",
    url,
    elicitationId: "check-visit",
  };
  return agent.begin("elicitation/create", params);
}

const notOffered: ClientCase = {
  ids: ["DRC-ELI-01", "DRC-ELI-05"],
  run: async (check) => {
    let isSent = false;
    const { done, problem, trouble } = await tryTurn(check, async (agent) => {
      const can = offered(agent.capabilities);
      const replies: CallReply[] = [];
      if (!can.form) replies.push(await beginForm(agent).answer);
      if (!can.url) replies.push(await beginVisit(agent, "http://127.0.0.1:9/").answer);
      await agent.notify("elicitation/complete", { elicitationId: "never-created" });
      isSent = true;
      await agent.barrier();
      return replies;
    });
    if (done || isSent)
      check.judge("DRC-ELI-05", !trouble, "a completion of an unknown id", trouble ?? "no harm");
    if (!done) throw problem ?? new Unmet("the turn did not end");
    if (done.seen.length === 0) return check.skip("DRC-ELI-01", "the client offers both modes");
    for (const reply of done.seen) {
      // A client that has no elicitation at all does not know the method.
      const isRefused = isError(reply, INVALID_PARAMS) || isError(reply, METHOD_NOT_FOUND);
      check.judge("DRC-ELI-01", isRefused, reply);
    }
  },
};

const filledIn = turnCase({ ids: ["DRC-ELI-02"], needs: ["form"] }, async (agent, { judge }) => {
  if (!offered(agent.capabilities).form) throw new NotApplicable("the client does not offer forms");
  const reply = await beginForm(agent).answer;
  const { action, content } = resultOf(reply);
  if (action !== "accept") throw new Unmet(`the form was not accepted: ${describeReply(reply)}`);
  const fault = contentFault(asObject(content));
  judge("DRC-ELI-02", fault === undefined, fault ?? "the content fits", reply);
});

/** Why content does not fit {@link SCHEMA}. */
function contentFault({
  name,
  count,
  ratio,
  isSure,
  colour,
  ...others
}: JsonObject): string | undefined {
  const fields: readonly (readonly [field: string, value: unknown, isRight: boolean])[] = [
    ["name", name, typeof name === "string" && name !== ""],
    ["count", count, Number.isInteger(count) && Number(count) >= 1 && Number(count) <= 5],
    ["ratio", ratio, ratio === undefined || typeof ratio === "number"],
    ["isSure", isSure, typeof isSure === "boolean"],
    ["colour", colour, colour === "red" || colour === "green"],
    ...Object.entries(others).map(([field, value]) => [field, value, false] as const),
  ];
  const wrong = fields.find(([, , isRight]) => !isRight);
  return wrong && `${wrong[0]} is ${shown(wrong[1])}`;
}

const noPerson: ClientCase = {
  ids: ["DRC-ELI-03", "DRC-ELI-04"],
  run: async (check) => {
    let visits = 0;
    const server = createServer((_request, response) => {
      visits += 1;
      response.end("ok");
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    try {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      const url = `http://127.0.0.1:${port}/consent`;
      const { seen } = await playTurn(check, async (agent) => {
        const can = offered(agent.capabilities);
        const form = can.form ? await beginForm(agent).reply : undefined;
        // Even a client that does not offer links must not open one.
        const visit = await beginVisit(agent, url).reply;
        await agent.barrier();
        return { form, visit: can.url ? visit : undefined };
      });
      check.judge("DRC-ELI-04", visits === 0, `the URL was fetched ${visits} times`);
      await judgeAnswers(check, seen);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  },
};

/** Judges the answers without a person; with a person, a form may also be open when the turn is cancelled. */
async function judgeAnswers(
  check: ClientCheck,
  { form, visit }: { readonly form: CallReply | undefined; readonly visit: CallReply | undefined },
): Promise<void> {
  const id = "DRC-ELI-03";
  const replies = [form, visit].filter((reply) => reply !== undefined);
  if (replies.length === 0) return check.skip(id, "the client offers no elicitation");
  const isKept = (reply: CallReply): boolean =>
    isAnswered(reply) && resultOf(reply)["action"] !== "accept";
  let open: CallReply | undefined;
  if (replies.every(isKept) && form && check.has("ask") && check.has("cancel"))
    open = await answerToOpenForm(check);
  for (const reply of replies) check.judge(id, isKept(reply), "without a person", reply);
  if (open) check.judge(id, isKept(open), "open at a cancel", open);
}

async function answerToOpenForm(check: ClientCheck): Promise<CallReply> {
  const reply = deferred<CallReply>();
  await playCancelled(check, {
    before: async (agent) => void beginForm(agent).reply.then(reply.resolve),
    after: async () => {
      await reply.promise;
      return "cancelled";
    },
    options: { drive: ["ask"] },
  });
  return reply.promise;
}

export const QUESTION_CASES: readonly ClientCase[] = [
  answered,
  allOrders,
  noFittingOption,
  chosenOption,
  unusual,
  notOffered,
  filledIn,
  noPerson,
];
