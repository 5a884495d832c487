import { expect, it } from "vitest";
import { DroidClient, DroidExitedError, type DroidTurn } from "../../../src/entries/droid.ts";
import { droidsOfLongTests } from "../../support/droid/install.ts";
import { hang, text, toolCall } from "../../../src/conformance/scripted-model/index.ts";
import { eventually, execute, leftOver, play, stage, watch } from "./harness.ts";
import { describeDroids } from "../../support/droid/describe.ts";

const QUESTIONNAIRE = "1. [question] Which?\n[topic] Color\n[option] Red\n[option] Blue\n";

describeDroids("droid", droidsOfLongTests(), (version) => {
  it("rejects everything when it is killed in any state, leaves no process, and can resume the session", async () => {
    const scene = await stage(version);
    const { home, model } = scene;
    const die = async (droid: DroidClient, turn: DroidTurn): Promise<void> => {
      process.kill(droid.pid ?? 0, "SIGKILL");
      const error = await turn.result.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(DroidExitedError);
      expect(error).toMatchObject({
        exit: { code: null, signal: "SIGKILL" },
        code: "connection_lost",
      });
      await expect(droid.listSkills()).rejects.toThrow(DroidExitedError);
      expect(await eventually(async () => (await leftOver(home)).length === 0)).toBe(true);
    };

    // Before it has a session.
    const prepared = await DroidClient.prepare(scene.process);
    const starting = prepared.start({ model: home.modelId });
    expect(await eventually(async () => (await leftOver(home)).length > 0)).toBe(true);
    for (const pid of await leftOver(home)) process.kill(pid, "SIGKILL");
    await expect(starting).rejects.toThrow(DroidExitedError);

    // While text streams.
    let droid = await scene.start({ autonomy: "off" });
    const { sessionId } = droid;
    model.push(text("noted"));
    await play(droid.prompt("remember this"));
    const middle = hang();
    model.push([text("some text", { chunks: 3 }), middle]);
    const talking = droid.prompt("talk");
    await watch(talking).until((event) => event.type === "text");
    await die(droid, talking);

    // While a command runs.
    droid = await scene.load(sessionId);
    expect(droid.history[0]).toMatchObject({
      prompt: { text: "remember this" },
      steps: [{ type: "text", text: "noted" }],
    });
    model.push([execute("sleep 3434")]);
    const running = droid.prompt("run", { onPermission: () => "proceed_once" });
    await watch(running).until((event) => event.type === "tool_progress");
    await die(droid, running);

    // While it waits for permission.
    droid = await scene.load(sessionId);
    const dangling = droid.history.at(-1)?.steps.find((step) => step.type === "tool_call");
    expect(dangling).toMatchObject({ toolUse: { name: "Execute" }, dangling: true });
    model.push([execute("echo never")]);
    const killed = droid;
    const asking = droid.prompt("ask", {
      onPermission: () => {
        process.kill(killed.pid ?? 0, "SIGKILL");
        return new Promise(() => {});
      },
    });
    await expect(asking.result).rejects.toMatchObject({ exit: { signal: "SIGKILL" } });

    // While it waits for an answer.
    droid = await scene.load(sessionId);
    model.push([toolCall("AskUser", { questionnaire: QUESTIONNAIRE })]);
    const asked = droid;
    const questioning = droid.prompt("question", {
      onAskUser: () => {
        process.kill(asked.pid ?? 0, "SIGKILL");
        return ["Red"];
      },
    });
    await expect(questioning.result).rejects.toThrow(DroidExitedError);

    // The session still continues where it stopped.
    droid = await scene.load(sessionId);
    model.push(text("here I am"));
    expect((await play(droid.prompt("still there?"))).text).toBe("here I am");
    expect(droid.sessionId).toBe(sessionId);
    expect(
      model.calls.at(-1)?.messages.some((message) => message.text.includes("remember this")),
    ).toBe(true);
    await droid.close();
    expect(await leftOver(home)).toEqual([]);
  });
});
