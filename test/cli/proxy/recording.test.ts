import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { secretHider } from "../../../src/cli/connect/secrets.ts";
import { openRunRecording, recordedClient } from "../../../src/cli/proxy/recording.ts";
import { memoryPair, parseRecording } from "../../../src/wire/index.ts";
import { Lines } from "../../hub/translate/lines.ts";
import { scratch, type Scratch } from "../support/run.ts";

let folders: Scratch;
beforeAll(async () => {
  folders = await scratch();
});
afterAll(() => folders.remove());

const io = () => ({ cwd: folders.cwd, now: () => Date.UTC(2026, 10, 16, 3, 4, 5, 678) });

describe("the recording of a run", () => {
  it("is a file of its own that only the user can read, in a folder that is created", async () => {
    const recording = await openRunRecording("a/b", io());
    await recording?.end();
    const folder = join(folders.cwd, "a/b");
    const [name = "", ...more] = await readdir(folder);
    expect(more).toEqual([]);
    expect(name).toBe(`20261116T030405Z-${process.pid}.jsonl`);
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it("has the directions that the client sees, without secrets", async () => {
    const recording = await openRunRecording("c", io());
    if (!recording) throw new Error("no recording");
    const env = { KEY: "a-secret-value-of-the-settings" };
    const [client, far] = memoryPair();
    const channel = recordedClient(far, recording, secretHider({ env, from: "settings" }, []));
    const [toHub, toClient] = [new Lines(channel), new Lines(client)];
    void client.send('{"id":1,"method":"initialize"}');
    await toHub.next();
    void channel.send(`{"id":1,"result":{"text":"${env.KEY}"}}`);
    expect(await toClient.next()).toContain(env.KEY);
    await recording.end();
    const folder = join(folders.cwd, "c");
    const [name = ""] = await readdir(folder);
    const { lines } = parseRecording(await readFile(join(folder, name), "utf8"));
    expect(lines).toMatchObject([
      { direction: "out", line: '{"id":1,"method":"initialize"}' },
      { direction: "in", line: expect.not.stringContaining(env.KEY) },
    ]);
  });

  it("that cannot be written is a usage error", async () => {
    await writeFile(join(folders.cwd, "file"), "");
    await expect(openRunRecording("file/below", io())).rejects.toThrow(
      "could not create --record-dir file/below: ",
    );
    await mkdir(join(folders.cwd, "linked"));
    const name = `20261116T030405Z-${process.pid}.jsonl`;
    await symlink("/dev/null", join(folders.cwd, "linked", name));
    await expect(openRunRecording("linked", io())).rejects.toThrow("could not write --record-dir");
  });

  it("is not made without the option", async () => {
    expect(await openRunRecording(undefined, io())).toBeUndefined();
  });
});
