// The embedded agent, which needs no installation, over several runs.
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { events, run } from "./support/run.ts";
import { builtBin, foldersForAll } from "./commands/setup.ts";

describe("the embedded agent", () => {
  const bin = builtBin();
  const folders = foldersForAll();
  const demo = (...argv: string[]) =>
    run([...argv, "-a", "demo"], {
      ...folders,
      dragoman: bin.file,
      env: { XDG_STATE_HOME: join(folders.home, "state") },
    });
  const stored = () => join(folders.home, "state", "dragoman", "demo");

  it("continues the last session that got a prompt", async () => {
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

  it("answers even if its session cannot be saved, and reports that", async () => {
    const { code, out, err } = await run(["-a", "demo", "/usage"], {
      ...folders,
      dragoman: bin.file,
      env: { XDG_STATE_HOME: "/dev/null" },
    });
    expect({ code, empty: out === "" }).toEqual({ code: 0, empty: false });
    expect(err).toContain("could not remember this session for --continue");
  });

  it("keeps the sessions that it can list, and deletes the oldest", async () => {
    await mkdir(stored(), { recursive: true });
    const old = new Date(1000);
    for (let n = 0; n < 600; n++) {
      const file = join(stored(), `${n}.jsonl`);
      await writeFile(file, "");
      await utimes(file, old, old);
    }
    expect((await demo("-c", "/usage")).code).toBe(0);
    expect((await readdir(stored())).length).toBeLessThanOrEqual(500);
    expect((await demo("sessions", "list")).out).toContain("where is nothing");
  });
});
