// Real Droid behind `dragoman proxy`, killed during a turn.
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildBin, type BuiltBin } from "../../apps/cli/support/bin.ts";
import { Answer, Editor } from "../../host/hub/editor.ts";
import { createDroidHome } from "../../support/droid/home.ts";
import { ensureDroid, newestDroid, oldestDroid } from "../../support/droid/install.ts";
import { processesWithHome } from "../../support/droid/leftovers.ts";
import { ModelServer, text, toolCall } from "../../../src/conformance/scripted-model/index.ts";
import { soak } from "../../support/soak.ts";
import { droidAcp } from "./bin.ts";
import { describeDroids } from "../../support/droid/describe.ts";
import { later } from "./rig.ts";
import { everyDroid } from "../../support/suite.ts";

let dragoman: BuiltBin;
beforeAll(async () => {
  dragoman = await buildBin();
}, 60_000);
afterAll(() => dragoman.remove());

/** The old version starts slowly, so the ordinary pass leaves it out. */
const versions = soak || everyDroid ? [newestDroid, oldestDroid] : [newestDroid];

const sleeping = {
  summary: "Sleep",
  command: "sleep 33",
  timeout: 60,
  riskLevel: "low",
  riskLevelReason: "x",
};

describeDroids("droid-acp behind a proxy, on Droid", versions, (version) => {
  it("goes on in the same session after it was killed during a turn", async () => {
    const executable = await ensureDroid(version);
    const model = await ModelServer.start();
    later(() => model.close());
    const home = await createDroidHome({ modelUrl: model.url });
    later(() => home.remove());
    const notes = join(home.home, "notes");
    await mkdir(notes);
    const agent = [await droidAcp(), "--droid", executable, "--model", home.modelId];
    const line = 'echo $$ >> "$0"; echo last words >&2; exec "$@" --mode high';
    const shell = ["sh", "-c", line, join(notes, "agents"), process.execPath, ...agent];
    const client = new Editor({
      command: [process.execPath, dragoman.file, "proxy", "--", ...shell],
      pidFile: join(notes, "proxies"),
      env: home.env,
      cwd: home.workspace,
      answer: () => new Promise(() => {}),
    });
    later(async () => {
      client.end();
      expect(await client.ended).toBe(0);
      expect(await processesWithHome(home.home)).toEqual([]);
    });
    await client.initialize();
    const session = await client.newSession(home.workspace);
    model.push(text("I will remember."));
    await client.prompt(session, "remember GNU");

    model.push(toolCall("Execute", sleeping));
    const running = client.prompt(session, "run").catch((thrown: unknown) => thrown);
    await client.until((updates) => JSON.stringify(updates).includes('"in_progress"'));
    process.kill(Number(await readFile(join(notes, "agents"), "utf8")), "SIGKILL");
    const error = await running;
    expect(error).toBeInstanceOf(Answer);
    expect(error).toMatchObject({
      code: -32005,
      message: expect.stringContaining("SIGKILL"),
      data: { exit: null, signal: "SIGKILL", stderr: expect.stringContaining("last words") },
    });

    const from = client.updates.length;
    model.push(text("A GNU."));
    expect(await client.prompt(session, "which animal?")).toMatchObject({
      stopReason: "end_turn",
    });
    expect(client.text(session, from)).toBe("A GNU.");
    const again = JSON.stringify(client.updates.slice(from));
    expect(again).not.toContain("remember");
    expect(again).not.toContain("user_message_chunk");
    const prompts = model.calls
      .at(-1)
      ?.messages.map((message) => message.text)
      .join("\n");
    expect(prompts?.split("remember GNU")).toHaveLength(2);
    expect(prompts).toContain("which animal?");
  });
});
