// What a newcomer without any agent has: the embedded one, over several runs.
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildBin, type BuiltBin } from "./support/bin.ts";
import { events, run, scratch, type Scratch } from "./support/run.ts";

describe("the embedded agent", () => {
  let bin: BuiltBin;
  let place: Scratch;
  beforeAll(async () => {
    [bin, place] = await Promise.all([buildBin(), scratch()]);
  });
  afterAll(() => Promise.all([bin.remove(), place.remove()]));
  const demo = (...argv: string[]) =>
    run([...argv, "-a", "demo"], {
      home: place.home,
      cwd: place.cwd,
      dragoman: bin.file,
      env: { XDG_STATE_HOME: join(place.home, "state") },
    });
  const kept = () => join(place.home, "state", "dragoman", "demo");

  it("goes on with the last session something was said in", async () => {
    const first = events((await demo("-o", "events", "where is nothing")).out);
    const { sessionId } = first.find(({ type }) => type === "session") ?? {};
    await demo("--list-modes");
    const again = await demo("-c", "-o", "events", "/usage");
    expect({ code: again.code, err: again.err }).toEqual({ code: 0, err: "" });
    expect(events(again.out).find(({ type }) => type === "session")).toMatchObject({
      sessionId,
      origin: "load",
    });
    await demo("doctor");
    expect((await demo("sessions", "list")).out.trimEnd().split("\n")).toEqual([
      expect.stringMatching(/^SESSION/),
      expect.stringMatching(/where is nothing$/),
    ]);
    expect((await demo("--resume", String(sessionId), "/usage")).code).toBe(0);
  });

  it("answers all the same where nothing can be kept, and that is said", async () => {
    const { code, out, err } = await run(["-a", "demo", "/usage"], {
      home: place.home,
      cwd: place.cwd,
      dragoman: bin.file,
      env: { XDG_STATE_HOME: "/dev/null" },
    });
    expect({ code, empty: out === "" }).toEqual({ code: 0, empty: false });
    expect(err).toContain("--continue will not know this session");
  });

  it("keeps what it can list, and forgets the oldest", async () => {
    await mkdir(kept(), { recursive: true });
    const old = new Date(1000);
    for (let n = 0; n < 600; n++) {
      const file = join(kept(), `${n}.jsonl`);
      await writeFile(file, "");
      await utimes(file, old, old);
    }
    expect((await demo("-c", "/usage")).code).toBe(0);
    expect((await readdir(kept())).length).toBeLessThanOrEqual(500);
    expect((await demo("sessions", "list")).out).toContain("where is nothing");
  });
});
