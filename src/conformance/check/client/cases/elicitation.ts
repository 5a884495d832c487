import { createServer } from "node:http";
import {
  deferred,
  isJsonObject,
  objectField,
  stringField,
  type JsonObject,
} from "../../../../base/index.ts";
import type { AgentQuestion, CheckingAgent } from "../agent.ts";
import type { ClientCase, ClientCheck } from "../case.ts";
import { codeOf, describeResponse, playTurn, resultOf, settled, turnProblem } from "../observe.ts";
import { playCancel } from "./play-cancel.ts";

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

type Mode = "form" | "url";

function offered(capabilities: JsonObject): Record<Mode, boolean> {
  const elicitation = objectField(capabilities, "elicitation") ?? {};
  return { form: isJsonObject(elicitation["form"]), url: isJsonObject(elicitation["url"]) };
}

function form(agent: CheckingAgent): JsonObject {
  return {
    sessionId: agent.sessionId,
    mode: "form",
    message: "Fill this in",
    requestedSchema: SCHEMA,
  };
}

function visit(agent: CheckingAgent, url: string): JsonObject {
  return {
    sessionId: agent.sessionId,
    mode: "url",
    message: "Open this",
    url,
    elicitationId: "check-visit",
  };
}

const notOffered: ClientCase = {
  ids: ["DRC-ELI-01", "DRC-ELI-05"],
  run: async (check) => {
    let isSent = false;
    const played = await playTurn(check, async (agent) => {
      const can = offered(agent.capabilities);
      const answers: JsonObject[] = [];
      if (!can.form) answers.push(await agent.ask("elicitation/create", form(agent)));
      if (!can.url)
        answers.push(await agent.ask("elicitation/create", visit(agent, "http://127.0.0.1:9/")));
      await agent.notify("elicitation/complete", { elicitationId: "never-created" });
      isSent = true;
      await agent.barrier();
      return { answers, can };
    });
    const { seen, problem } = played;
    const expected = "elicitation/complete for an unknown id is ignored";
    if (!seen) {
      if (isSent) check.fail("DRC-ELI-05", expected, problem);
      for (const id of notOffered.ids) check.untested(id, problem);
      return;
    }
    // A client that has no elicitation at all does not know the method.
    const wrong = seen.answers.find(
      (answer) => codeOf(answer) !== -32_602 && codeOf(answer) !== -32_601,
    );
    if (wrong)
      check.fail(
        "DRC-ELI-01",
        "a mode that is not offered is refused with -32602",
        describeResponse(wrong),
      );
    else if (seen.answers.length === 0) check.skip("DRC-ELI-01", "the client offers both modes");
    else
      check.pass("DRC-ELI-01", seen.answers.map((answer) => describeResponse(answer)).join("; "));
    const trouble = turnProblem(check, played);
    if (trouble === undefined)
      check.pass("DRC-ELI-05", "elicitation/complete for an unknown id did no harm");
    else check.fail("DRC-ELI-05", expected, trouble);
  },
};

const filledIn: ClientCase = {
  ids: ["DRC-ELI-02"],
  needs: ["form"],
  run: async (check) => {
    const id = "DRC-ELI-02";
    const { seen, problem } = await playTurn(
      check,
      async (agent) =>
        offered(agent.capabilities).form ? agent.ask("elicitation/create", form(agent)) : "none",
      { drive: ["form"] },
    );
    if (seen === undefined) return check.untested(id, problem);
    if (seen === "none") return check.skip(id, "the client does not offer forms");
    const result = resultOf(seen) ?? {};
    if (result["action"] !== "accept")
      return check.untested(id, `the form was not accepted: ${describeResponse(seen)}`);
    const fault = contentFault(objectField(result, "content") ?? {});
    if (fault === undefined)
      check.pass(id, `the content fits: ${JSON.stringify(result["content"])}`);
    else check.fail(id, "the accepted content fits the schema", fault);
  },
};

/** Why content does not fit {@link SCHEMA}. */
function contentFault(content: JsonObject): string | undefined {
  const { name, count, ratio, isSure, colour, ...others } = content;
  if (typeof name !== "string" || name === "") return `name is ${JSON.stringify(name)}`;
  if (!Number.isInteger(count) || Number(count) < 1 || Number(count) > 5)
    return `count is ${JSON.stringify(count)}`;
  if (ratio !== undefined && typeof ratio !== "number") return `ratio is ${JSON.stringify(ratio)}`;
  if (typeof isSure !== "boolean") return `isSure is ${JSON.stringify(isSure)}`;
  if (colour !== "red" && colour !== "green") return `colour is ${JSON.stringify(colour)}`;
  const [other] = Object.keys(others);
  return other === undefined ? undefined : `the schema has no field "${other}"`;
}

const noPerson: ClientCase = {
  ids: ["DRC-ELI-03", "DRC-ELI-04"],
  run: async (check) => {
    const visited = deferred();
    let visits = 0;
    const server = createServer((_request, response) => {
      visits += 1;
      visited.resolve();
      response.end("ok");
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    try {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      await judgeNoPerson(check, `http://127.0.0.1:${port}/consent`, () => visits);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  },
};

async function judgeNoPerson(check: ClientCheck, url: string, visits: () => number): Promise<void> {
  const { seen, problem } = await playTurn(check, async (agent) => {
    const can = offered(agent.capabilities);
    const asked: AskedForm[] = [];
    if (can.form)
      asked.push({
        mode: "form",
        answer: await settled(agent.ask("elicitation/create", form(agent))),
      });
    // Even a client that does not offer links must not open one.
    const link = await settled(agent.ask("elicitation/create", visit(agent, url)));
    if (can.url) asked.push({ mode: "url", answer: link });
    await agent.barrier();
    return { asked, can };
  });
  if (!seen) {
    for (const id of noPerson.ids) check.untested(id, problem);
    return;
  }
  if (seen.asked.length === 0) check.skip("DRC-ELI-03", "the client offers no elicitation");
  else await judgeAnswers(check, seen.asked, seen.can.form);
  if (visits() > 0)
    check.fail(
      "DRC-ELI-04",
      "a URL is not opened without consent",
      `it was fetched ${visits()} times`,
    );
  else check.pass("DRC-ELI-04", "the URL was not fetched");
}

interface AskedForm {
  readonly mode: Mode;
  /** Undefined if the client did not answer. */
  readonly answer: JsonObject | undefined;
}

async function judgeAnswers(
  check: ClientCheck,
  asked: readonly AskedForm[],
  hasForms: boolean,
): Promise<void> {
  const id = "DRC-ELI-03";
  const expected = "without a person, the answer is decline or cancel";
  const isAccepted = ({ answer = {} }: AskedForm): boolean =>
    stringField(resultOf(answer) ?? {}, "action") === "accept";
  if (asked.some(({ answer }) => answer === undefined))
    return check.fail(id, expected, "there was no answer");
  if (asked.some((one) => isAccepted(one))) return check.fail(id, expected, "it was accept");
  const answers = asked.map(({ mode, answer = {} }) => `${mode}: ${describeResponse(answer)}`);
  if (!hasForms || !check.has("ask") || !check.has("cancel"))
    return check.pass(id, answers.join("; "));
  const open: AgentQuestion[] = [];
  let answer: JsonObject | undefined;
  const played = await playCancel(check, {
    before: async (agent) => {
      open.push(agent.request("elicitation/create", form(agent)));
    },
    after: async () => {
      answer = await settled(open[0]?.response ?? Promise.reject(new Error("nothing was asked")));
      return "cancelled";
    },
    options: { drive: ["ask"] },
  });
  if (!played.cancel) return check.untested(id, `the client did not cancel: ${played.problem}`);
  if (answer === undefined || isAccepted({ mode: "form", answer })) {
    const actual = answer ? "it was accepted" : "there was no answer";
    return check.fail(id, "a form that is open is answered when the turn is cancelled", actual, [
      played.cancel,
    ]);
  }
  check.pass(id, `${answers.join("; ")}; open at a cancel: ${describeResponse(answer)}`);
}

export const ELICITATION_CASES: readonly ClientCase[] = [notOffered, filledIn, noPerson];
