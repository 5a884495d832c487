import { objectField, type JsonObject } from "../../../../base/index.ts";
import type { ClientCase } from "../case.ts";
import { describeEnd, describeResponse, settled } from "../observe.ts";
import { HELLO } from "../scenario.ts";
import { playCancel } from "./play-cancel.ts";
import { decisionOf, PERMISSION_OPTIONS, permissionParams } from "../permission-request.ts";

const notification: ClientCase = {
  ids: ["DRC-CAN-01", "DRC-CAN-02"],
  needs: ["cancel"],
  run: async (check) => {
    let isOpen = false;
    const played = await playCancel(check, {
      after: async (agent) => {
        await agent.say("text-after-the-cancel ");
        await agent.barrier();
        isOpen = agent.ends.length === 0;
        return "cancelled";
      },
    });
    const { cancel, agent, problem } = played;
    if (!agent?.calls("session/prompt").length) {
      for (const id of notification.ids) check.untested(id, problem);
      return;
    }
    const expected = "session/cancel is a notification with the session's id, sent once";
    const all = agent.calls("session/cancel");
    const json = cancel?.json ?? {};
    if (!cancel) check.fail("DRC-CAN-01", expected, `it did not come: ${problem}`);
    else if ("id" in json) check.fail("DRC-CAN-01", expected, "it was a request", [cancel]);
    else if (objectField(json, "params")?.["sessionId"] !== agent.sessionId) {
      check.fail("DRC-CAN-01", expected, "it names another session", [cancel]);
    } else if (all.length > 1)
      check.fail("DRC-CAN-01", expected, `it came ${all.length} times`, all);
    else check.pass("DRC-CAN-01", "one notification came", [cancel]);
    if (!cancel) check.untested("DRC-CAN-02", "the client did not cancel");
    else if (isOpen && played.end)
      check.pass(
        "DRC-CAN-02",
        "the client took updates, and the connection stayed open until the answer",
      );
    else {
      const actual = played.end
        ? `the client closed the connection first: ${problem}`
        : "the client hangs";
      check.fail(
        "DRC-CAN-02",
        "after the cancel, the client takes updates and waits for the answer",
        actual,
      );
    }
  },
};

const openPermissions: ClientCase = {
  ids: ["DRC-PERM-05"],
  needs: ["cancel"],
  run: async (check) => {
    const id = "DRC-PERM-05";
    const open: Promise<JsonObject | undefined>[] = [];
    const answers: (readonly [string, JsonObject | undefined])[] = [];
    let decided = 0;
    const { cancel, problem } = await playCancel(check, {
      options: { drive: check.has("ask") ? ["ask"] : [] },
      before: async (agent) => {
        for (let index = 0; index < 3; index++) {
          const asked = agent.request(
            "session/request_permission",
            permissionParams(agent, PERMISSION_OPTIONS),
          );
          open.push(settled(asked.response).then((response) => ((decided += 1), response)));
        }
        // If the client decides by itself, it has done so by then.
        await agent.barrier();
        await agent.barrier();
      },
      after: async (agent) => {
        const wasDecided = decided;
        const late = await settled(
          agent.ask("session/request_permission", permissionParams(agent, PERMISSION_OPTIONS)),
        );
        if (wasDecided === 0)
          for (const one of open) answers.push(["open at the cancel", await one]);
        answers.push(["sent after the cancel", late]);
        return "cancelled";
      },
    });
    if (!cancel) return check.untested(id, problem || "the client did not cancel");
    for (const [when, response] of answers) {
      const expected =
        "every permission request is answered with cancelled once the turn is cancelled";
      if (!response)
        return check.fail(id, expected, `no answer to a request that was ${when}`, [cancel]);
      if (decisionOf(response) !== "cancelled") {
        return check.fail(id, expected, `a request ${when} got ${describeResponse(response)}`, [
          cancel,
        ]);
      }
    }
    if (answers.length === 0) return check.untested(id, "the client closed the connection");
    check.pass(id, answers.map(([when]) => `${when}: cancelled`).join("; "), [cancel]);
  },
};

const badAgents: ClientCase = {
  ids: ["DRC-CAN-03"],
  needs: ["cancel"],
  run: async (check) => {
    const id = "DRC-CAN-03";
    const usual = await playCancel(check, {});
    if (!usual.cancel) return check.untested(id, usual.problem || "the client did not cancel");
    const failing = await playCancel(check, {
      after: async () => ({ error: { code: -32_603, message: "aborted" } }),
    });
    const expected =
      "a cancel that the agent ignores, or answers with an error, ends as a cancelled turn in bounded time";
    if (!failing.end) return check.fail(id, expected, "after an error, the client hangs");
    if (check.baseline.exits && failing.end.code !== usual.end?.code) {
      const actual = `after an error, it ended with ${describeEnd(failing.end)}, otherwise with ${usual.end ? describeEnd(usual.end) : "none"}`;
      return check.fail(id, expected, actual);
    }
    if (!check.baseline.exits) return check.pass(id, "an error as the answer was taken");
    const ignoring = await playCancel(check, {
      after: () => new Promise<never>(() => {}),
      options: { limitMs: 3 * check.limitMs },
    });
    if (!ignoring.end)
      check.fail(
        id,
        expected,
        "when the agent ignores the cancel, the client waits without a limit",
      );
    else
      check.pass(
        id,
        `the client ended by itself ${ignoring.ms} ms after its start, although the agent ignored the cancel`,
      );
  },
};

const nextPrompt: ClientCase = {
  ids: ["DRC-CAN-04"],
  needs: ["cancel", "again"],
  run: async (check) => {
    const id = "DRC-CAN-04";
    let worked = false;
    const { cancel, problem, stdout } = await playCancel(check, {
      options: { drive: ["again"], beside: async (run) => run.drive("again") },
      next: async (agent) => {
        await agent.say(HELLO);
        await agent.barrier();
        worked = true;
        return "end_turn";
      },
    });
    if (!cancel) return check.untested(id, problem || "the client did not cancel");
    const isShown = !check.baseline.showsText || stdout.includes(HELLO);
    if (worked && isShown) check.pass(id, "a prompt after the cancelled one worked");
    else
      check.fail(
        id,
        "a prompt after a cancelled one works",
        worked ? "its answer was not shown" : "it was not sent, or failed",
      );
  },
};

export const CANCEL_CASES: readonly ClientCase[] = [
  notification,
  openPermissions,
  badAgents,
  nextPrompt,
];
