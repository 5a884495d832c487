import type { JsonObject } from "../../../../base/index.ts";
import type { CheckingAgent } from "../agent.ts";
import type { ClientCase, ClientCheck } from "../case.ts";
import { describeResponse, exchangeOf, playTurn, settled } from "../observe.ts";
import {
  decisionOf,
  PERMISSION_OPTIONS,
  permissionParams,
  type OfferedOption,
} from "../permission-request.ts";

const answered: ClientCase = {
  ids: ["DRC-PERM-01"],
  run: async (check) => {
    const { seen, problem } = await playTurn(check, async (agent) => {
      const question = agent.request(
        "session/request_permission",
        permissionParams(agent, PERMISSION_OPTIONS),
      );
      return { response: await question.response, frames: agent.answersTo(question.id) };
    });
    if (!seen) return check.untested("DRC-PERM-01", problem);
    const decision = decisionOf(seen.response);
    const isOffered =
      decision === "cancelled" ||
      (decision !== "invalid" &&
        PERMISSION_OPTIONS.some(({ optionId }) => optionId === decision.optionId));
    if (isOffered) check.pass("DRC-PERM-01", describeResponse(seen.response), seen.frames);
    else {
      const expected = "the outcome is cancelled, or selected with the id of an offered option";
      check.fail("DRC-PERM-01", expected, describeResponse(seen.response), seen.frames);
    }
  },
};

type Policy = "allow" | "deny";

const NO_POLICY = 'the driver has no entry "allow" or "deny"';

/** The decisions that the driver can make the client take. */
function policiesOf(check: ClientCheck): readonly Policy[] {
  return (["allow", "deny"] as const).filter((policy) => check.has(policy));
}

/** Asks all questions in one turn, with a client that allows or denies everything. */
async function decide(
  check: ClientCheck,
  policy: Policy,
  questions: readonly (readonly OfferedOption[])[],
): Promise<
  | {
      answers: readonly { options: readonly OfferedOption[]; response: JsonObject }[];
      agent: CheckingAgent | undefined;
    }
  | { problem: string }
> {
  const { seen, problem, agent } = await playTurn(
    check,
    async (asking) => {
      const answers = [];
      for (const options of questions) {
        const response = await asking.requestOdd(
          "session/request_permission",
          permissionParams(asking, options),
        ).response;
        answers.push({ options, response });
      }
      return answers;
    },
    { drive: [policy] },
  );
  return seen ? { answers: seen, agent } : { problem };
}

function kindOf(options: readonly OfferedOption[], response: JsonObject): string {
  const decision = decisionOf(response);
  if (decision === "cancelled" || decision === "invalid") return decision;
  return options.find(({ optionId }) => optionId === decision.optionId)?.kind ?? "not offered";
}

const allOrders: ClientCase = {
  ids: ["DRC-PERM-02"],
  run: async (check) => {
    const id = "DRC-PERM-02";
    const right: Record<Policy, readonly string[]> = {
      allow: ["allow_once"],
      deny: ["reject_once", "cancelled"],
    };
    const chosen: string[] = [];
    const policies = policiesOf(check);
    if (policies.length === 0) return check.skip(id, NO_POLICY);
    for (const policy of policies) {
      const asked = await decide(check, policy, permutations(PERMISSION_OPTIONS));
      if ("problem" in asked) return check.untested(id, asked.problem);
      for (const { options, response } of asked.answers) {
        const kind = kindOf(options, response);
        chosen.push(`${policy}: ${kind}`);
        if (right[policy].includes(kind)) continue;
        const order = options.map((option) => option.kind).join(", ");
        const expected = `a client that is set to ${policy} answers with ${right[policy].join(" or ")}`;
        const actual = `with the options ${order}, it answered with ${kind}`;
        return check.fail(id, expected, actual, exchangeOf(asked.agent, response));
      }
    }
    check.pass(id, `${chosen.length} requests in all orders: ${[...new Set(chosen)].join("; ")}`);
  },
};

const noFittingOption: ClientCase = {
  ids: ["DRC-PERM-03"],
  run: async (check) => {
    const id = "DRC-PERM-03";
    const [allowOnce, allowAlways, rejectOnce, rejectAlways] = PERMISSION_OPTIONS;
    const unknown = [{ optionId: "o-55", name: "Perhaps", kind: "perhaps" }];
    const sets: Record<Policy, readonly (readonly OfferedOption[])[]> = {
      allow: [[rejectOnce, rejectAlways].filter((one) => one !== undefined), [], unknown],
      deny: [[allowOnce, allowAlways].filter((one) => one !== undefined), [], unknown],
    };
    const policies = policiesOf(check);
    if (policies.length === 0) return check.skip(id, NO_POLICY);
    for (const policy of policies) {
      const asked = await decide(check, policy, sets[policy]);
      if ("problem" in asked) return check.untested(id, asked.problem);
      for (const { options, response } of asked.answers) {
        const kind = kindOf(options, response);
        const isApproval = !["cancelled", "reject_once", "reject_always"].includes(kind);
        // An error is not an approval either.
        if (!isApproval || "error" in response) continue;
        const offered = options.map((option) => option.kind).join(", ") || "no options";
        const expected = "without a fitting option, the answer approves nothing";
        return check.fail(
          id,
          expected,
          `set to ${policy} and offered ${offered}, the client answered with ${kind}`,
          exchangeOf(asked.agent, response),
        );
      }
    }
    check.pass(
      id,
      "options of the wrong kind, no options and an unknown kind were never taken as approval",
    );
  },
};

const chosenOption: ClientCase = {
  ids: ["DRC-PERM-04"],
  needs: ["choose"],
  run: async (check) => {
    const options = [
      { optionId: "o-1", name: "Once, quickly", kind: "allow_once" },
      { optionId: "o-2", name: "Once, slowly", kind: "allow_once" },
      { optionId: "o-3", name: "No", kind: "reject_once" },
    ];
    const { seen, problem } = await playTurn(
      check,
      async (agent) => agent.ask("session/request_permission", permissionParams(agent, options)),
      { drive: ["choose"], values: { option: "o-2", name: "Once, slowly" } },
    );
    if (!seen) return check.untested("DRC-PERM-04", problem);
    const decision = decisionOf(seen);
    if (typeof decision === "object" && decision.optionId === "o-2") {
      check.pass("DRC-PERM-04", "the second of two options of one kind was chosen, and sent");
    } else {
      const expected = 'the chosen option "Once, slowly" is sent';
      check.fail("DRC-PERM-04", expected, describeResponse(seen));
    }
  },
};

const unusual: ClientCase = {
  ids: ["DRC-PERM-06"],
  run: async (check) => {
    let early: Promise<JsonObject | undefined> = Promise.resolve(undefined);
    const { seen, problem } = await playTurn(
      check,
      async (agent) => {
        const unannounced = await settled(
          agent.ask("session/request_permission", permissionParams(agent, PERMISSION_OPTIONS)),
        );
        const foreign = await settled(
          agent.ask(
            "session/request_permission",
            permissionParams(agent, PERMISSION_OPTIONS, { sessionId: "unknown-session" }),
          ),
        );
        return [
          ["for a call that was not announced", unannounced],
          ["for an unknown session", foreign],
          ["before the turn", await early],
        ] as const;
      },
      {
        scenario: {
          methods: {
            "session/new": async ({ agent, id }) => {
              await agent.send({ id, result: { sessionId: agent.sessionId } });
              early = settled(
                agent.ask(
                  "session/request_permission",
                  permissionParams(agent, PERMISSION_OPTIONS),
                ),
              );
              return undefined;
            },
          },
        },
      },
    );
    if (!seen) return check.untested("DRC-PERM-06", problem);
    const silent = seen.filter(([, answer]) => answer === undefined).map(([when]) => when);
    if (silent.length === 0)
      check.pass("DRC-PERM-06", `answered: ${seen.map(([when]) => when).join("; ")}`);
    else
      check.fail(
        "DRC-PERM-06",
        "every permission request is answered",
        `no answer to one ${silent.join(", ")}`,
      );
  },
};

/** All orders of a list. */
export function permutations<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((first, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [first, ...rest]),
  );
}

export const PERMISSION_CASES: readonly ClientCase[] = [
  answered,
  allOrders,
  noFittingOption,
  chosenOption,
  unusual,
];
