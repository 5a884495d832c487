import { asObject, isJsonObject, type JsonObject } from "../../../wire/index.ts";
import { describeReply, shown } from "../../harness/reply.ts";
import { type AgentCheck, evidence } from "../agent-check.ts";
import type { AgentCase } from "../case.ts";
import { ifUnmet, streamingTurn } from "../turns/moments.ts";
import { Stage } from "../turns/stage.ts";

/** The ids of the available modes. */
export function modeIds(modes: JsonObject | undefined): readonly string[] {
  const list = modes?.["availableModes"];
  const found = Array.isArray(list) ? list.filter(isJsonObject).map(({ id }) => id) : [];
  return found.filter((id) => typeof id === "string");
}

const modes: AgentCase = {
  name: "modes",
  ids: ["ACP-MODES-001", "ACP-MODES-002", "DRA-MODE-01"],
  process: "shared",
  needs: "none",
  run: async (check) => {
    const { link } = await check.open();
    const session = await check.newSession(link);
    const opened = link.frames.length;
    const sessionId = String(session["sessionId"]);
    const offered = asObject(session["modes"]);
    const ids = modeIds(offered);
    const current = offered?.["currentModeId"];
    check.judge(
      "ACP-MODES-001",
      ids.some((id) => id === current),
      `${shown(current)} of ${shown(ids)}`,
      {
        expected: `one of ${shown(ids)}`,
        actual: `the current mode ${shown(current)}`,
        frames: evidence(link, opened),
      },
    );
    const target = ids.find((id) => id !== current) ?? ids[0];
    if (target !== undefined) {
      const reply = await link.request("session/set_mode", { sessionId, modeId: target });
      await link.barrier();
      const wrong = link
        .updates(sessionId, opened)
        .filter(({ update }) => update["sessionUpdate"] === "current_mode_update")
        .findLast(({ update }) => update["currentModeId"] !== target);
      check.judge("ACP-MODES-002", reply.kind === "result" && !wrong, `set to ${target}`, {
        expected: `session/set_mode to ${target} succeeds`,
        actual: wrong ? `the update ${shown(wrong.update)}` : describeReply(reply),
        frames: [...evidence(link, reply), ...evidence(link, ...(wrong ? [wrong.n] : []))],
      });
    }
    const unknown = await link.request("session/set_mode", {
      sessionId,
      modeId: "dragoman-unknown-mode",
    });
    check.judge("DRA-MODE-01", unknown.kind === "error", describeReply(unknown), {
      expected: "an error for an unknown mode",
      actual: describeReply(unknown),
      frames: evidence(link, unknown),
    });
    if (target !== undefined) await judgeDuringTurn(check, target);
  },
};

/** DRA-MODE-01: the mode can be set while a turn runs, if one can be held. */
async function judgeDuringTurn(check: AgentCheck, modeId: string): Promise<void> {
  if (!check.run.usesModel && check.run.prompts === undefined) return;
  const stage = await Stage.open(check);
  const session = await stage.session();
  const turn = await streamingTurn(stage, session).catch(ifUnmet);
  if (!turn) return;
  const params = { sessionId: session.id, modeId };
  const reply = await stage.link.request("session/set_mode", params);
  check.judge("DRA-MODE-01", reply.kind === "result", "set while a turn runs", {
    expected: "session/set_mode succeeds while a turn runs",
    actual: describeReply(reply),
    frames: evidence(stage.link, turn.n, reply),
  });
  turn.release();
  if (!stage.model) stage.cancel(session);
  await stage.endOf(turn);
}

export const modeCases: readonly AgentCase[] = [modes];
