import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fileOwners } from "../../../../src/host/hub/index.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-owners-"));
  path = join(folder, "new", "owners.jsonl");
});

afterEach(() => rm(folder, { recursive: true, force: true }));

it("owners outlive the server, in a file of its user", async () => {
  const first = await fileOwners(path);
  first.add("a", "ada");
  first.add("b", "bob");
  first.add("c", "ada");
  first.remove("b");
  const second = await fileOwners(path);
  expect(["a", "b", "c", "d"].map((id) => second.ownerOf(id))).toEqual([
    "ada",
    undefined,
    "ada",
    undefined,
  ]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

it("a server finds sessions that another one opened meanwhile", async () => {
  const [first, second] = [await fileOwners(path), await fileOwners(path)];
  first.add("a", "ada");
  expect(second.ownerOf("a")).toBe("ada");
});

it("a line that was not written to its end is skipped", async () => {
  (await fileOwners(path)).add("a", "ada");
  await appendFile(path, '{"sessionId":"b","ow');
  expect((await fileOwners(path)).ownerOf("a")).toBe("ada");
});

it("a file with many dead lines is written again", async () => {
  (await fileOwners(path)).add("kept", "ada");
  const dead = '{"sessionId":"x","owner":"ada"}\n{"sessionId":"x"}\n'.repeat(6000);
  await appendFile(path, dead);
  const owners = await fileOwners(path);
  expect(await readFile(path, "utf8")).toBe('{"sessionId":"kept","owner":"ada"}\n');
  owners.add("y", "bob");
  expect((await fileOwners(path)).ownerOf("y")).toBe("bob");
});

it("a file that cannot be written is reported, and the owner is still known", async () => {
  const errors: Error[] = [];
  const owners = await fileOwners(path, (error) => errors.push(error));
  await rm(join(folder, "new"), { recursive: true });
  await writeFile(join(folder, "new"), "");
  owners.add("a", "ada");
  expect(owners.ownerOf("a")).toBe("ada");
  expect(errors).toHaveLength(1);
});
