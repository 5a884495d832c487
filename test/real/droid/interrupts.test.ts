import { expect, it } from "vitest";
import { isNewDroid, droidsOfLongTests } from "../../support/droid/install.ts";
import { hang, text, toolCall } from "../../../src/conformance/scripted-model/index.ts";
import { eventually, execute, leftOver, play, stage, watch } from "./harness.ts";
import { describeDroids } from "../../support/droid/describe.ts";

const QUESTIONNAIRE = "1. [question] Which?\n[topic] Color\n[option] Red\n[option] Blue\n";

describeDroids("droid", droidsOfLongTests(), (version) => {
  const isNew = isNewDroid(version);

  it("can be interrupted in every state, and continues afterwards", async () => {
    const { home, model, start } = await stage(version);
    const droid = await start({ autonomy: "off" });
    const idleProcesses = (await leftOver(home)).length;
    const expectNextTurn = async (): Promise<void> => {
      model.push(text("fine"));
      const { text: answer, result } = await play(droid.prompt("and now?", { whenBusy: "wait" }));
      expect([answer, result.stopReason]).toEqual(["fine", "completed"]);
    };

    // As soon as it reports a working state: 0.99 has not called the model by then.
    const atOnce = hang();
    model.push([atOnce, text("never")]);
    const starting = droid.prompt("start");
    await watch(starting).until((event) => event.type === "state" && event.state !== "idle");
    await starting.cancel();
    expect((await starting.result).stopReason).toBe("cancelled");
    model.skip();
    await expectNextTurn();

    // Before the first token.
    const before = hang();
    model.push([before, text("never")]);
    const silent = droid.prompt("think");
    await before.arrived;
    await silent.cancel();
    expect((await silent.result).stopReason).toBe("cancelled");
    await expectNextTurn();

    // While text streams.
    const middle = hang();
    model.push([text("some text", { chunks: 3 }), middle, text("never")]);
    const talking = droid.prompt("talk");
    await watch(talking).until((event) => event.type === "text");
    await droid.cancel();
    expect((await talking.result).stopReason).toBe("cancelled");
    await expectNextTurn();

    // While a command runs.
    model.push([execute("sleep 3131")]);
    const running = droid.prompt("run", { onPermission: () => "proceed_once" });
    await watch(running).until((event) => event.type === "tool_progress");
    await running.cancel();
    expect((await running.result).stopReason).toBe("cancelled");
    expect(await eventually(async () => (await leftOver(home)).length <= idleProcesses)).toBe(true);
    await expectNextTurn();

    // While it waits for permission.
    model.push([execute("echo never > file")]);
    let wasAborted = false;
    const asking = droid.prompt("ask", {
      onPermission: (_, { signal }) =>
        new Promise((resolve) => {
          void asking.cancel();
          signal.addEventListener("abort", () => {
            wasAborted = true;
            resolve("proceed_once");
          });
        }),
    });
    expect((await asking.result).stopReason).toBe("cancelled");
    expect(wasAborted).toBe(true);
    await expectNextTurn();

    // While it waits for an answer.
    model.push([toolCall("AskUser", { questionnaire: QUESTIONNAIRE })]);
    const controller = new AbortController();
    const questioning = droid.prompt("question", {
      signal: controller.signal,
      onAskUser: () => {
        controller.abort();
        return new Promise(() => {});
      },
    });
    expect((await questioning.result).stopReason).toBe("cancelled");
    await expectNextTurn();

    // Right after the prompt was sent, and while Droid is idle.
    const early = droid.prompt("never mind");
    await early.cancel();
    expect((await early.result).stopReason).toBe("cancelled");
    await droid.cancel();
    await expectNextTurn();

    // A prompt sent while an interrupted turn still runs waits for the end of that turn.
    const last = hang();
    model.push([text("x"), last]);
    const first = droid.prompt("first");
    await last.arrived;
    void first.cancel();
    await expectNextTurn();
    expect((await first.result).stopReason).toBe("cancelled");
  });

  it("leaves no process behind when it is closed in the middle of a command", async () => {
    const { home, model, start } = await stage(version);
    const droid = await start({ autonomy: "off" });
    model.push([execute("sleep 3232 & sleep 3233")]);
    const turn = droid.prompt("run", { onPermission: () => "proceed_once" });
    await watch(turn).until((event) => event.type === "tool_progress");
    const started = Date.now();
    await droid.close();
    const took = Date.now() - started;
    expect(await leftOver(home)).toEqual([]);
    expect((await turn.result.catch((error: unknown) => error)) instanceof Error).toBe(false);
    // On its own, a new Droid exits with code 0 after six seconds; `close` does not wait for that.
    // Closing takes about a second, even on a busy machine.
    if (isNew) expect(await droid.closed).toMatchObject({ exit: { signal: "SIGKILL" } });
    expect(took).toBeLessThan(3000);
  });
});
