import { NotApplicable } from "../../harness/errors.ts";
import { isAnswered, type CallReply } from "../../harness/reply.ts";
import type { ClientCase, ClientCheck } from "../case.ts";
import { playTurn, turnCase } from "../observe.ts";
import {
  beginPermission,
  decisionOf,
  isOffered,
  PERMISSION_OPTIONS,
  type OfferedOption,
} from "../permission-request.ts";
import type { CallHandler } from "../scenario.ts";

const answered = turnCase({ ids: ["DRC-PERM-01"] }, async (agent, { judge }) => {
  const reply = await beginPermission(agent).answer;
  judge("DRC-PERM-01", isOffered(reply), reply);
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

export const PERMISSION_CASES: readonly ClientCase[] = [
  answered,
  allOrders,
  noFittingOption,
  chosenOption,
  unusual,
];
