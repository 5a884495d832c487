import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import {
  executableCandidates,
  findExecutable,
  readVersion,
} from "../../../src/droid/process/prepared.ts";
import { DroidClient, DroidNotFoundError } from "../../../src/entries/droid.ts";
import { useTempFolder } from "../../support/temp-folder.ts";

let folder = "";
useTempFolder((path) => (folder = path), "test");

async function executable(...path: readonly string[]): Promise<string> {
  const file = join(folder, ...path);
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, "#!/bin/sh\necho 0.57.14\n");
  await chmod(file, 0o755);
  return file;
}

describe("Droid's executable", () => {
  it("is the one given in the option, before all others", async () => {
    const named = await executable("named");
    await executable("bin", "droid");
    const env = { PATH: join(folder, "bin"), DROID_EXECUTABLE: await executable("other") };
    expect(await findExecutable({ executable: named, env })).toBe(named);
  });
  it("is the one in DROID_EXECUTABLE, before PATH", async () => {
    const named = await executable("other");
    await executable("bin", "droid");
    const env = { PATH: join(folder, "bin"), DROID_EXECUTABLE: named };
    expect(await findExecutable({ env })).toBe(named);
  });
  it("is found on PATH, even under another name", async () => {
    const found = await executable("bin", "droid");
    const beta = await executable("bin", "droid-beta");
    const env = { PATH: `${folder}:${join(folder, "bin")}`, DROID_EXECUTABLE: undefined };
    expect(await findExecutable({ env })).toBe(found);
    expect(await findExecutable({ executable: "droid-beta", env })).toBe(beta);
  });
  it("is found in the usual install folders under the home folder", async () => {
    const found = await executable(".local", "bin", "droid");
    const env = { PATH: "", HOME: folder, DROID_EXECUTABLE: undefined };
    expect(await findExecutable({ env })).toBe(found);
  });
  it("is neither a file without execute permission nor a folder", async () => {
    await mkdir(join(folder, "bin", "droid"), { recursive: true });
    await writeFile(join(folder, "droid"), "x");
    const named = join(folder, "droid");
    await expect(findExecutable({ executable: named })).rejects.toThrow(DroidNotFoundError);
    await expect(findExecutable({ executable: join(folder, "bin", "droid") })).rejects.toThrow(
      DroidNotFoundError,
    );
  });
  it("is reported as missing together with every path that was tried", async () => {
    const start = DroidClient.start({ executable: join(folder, "nothing") });
    await expect(start).rejects.toMatchObject({
      code: "not_installed",
      tried: [`${join(folder, "nothing")} (as given)`],
    });
  });
  it("is searched for only once in each folder, even if PATH repeats it or it is a usual install folder", () => {
    const tried = executableCandidates({
      option: undefined,
      env: { PATH: "/a:/usr/local/bin:/a" },
      home: "/home",
      platform: "linux",
    }).map(({ path }) => path);
    expect(tried.slice(0, 3)).toEqual([
      "/a/droid",
      "/usr/local/bin/droid",
      "/home/.local/bin/droid",
    ]);
    expect(new Set(tried).size).toBe(tried.length);
  });
  it("is resolved relative to the current folder, not to the folder Droid will work in", async () => {
    const file = await executable("droid");
    expect(await findExecutable({ executable: relative(process.cwd(), file) })).toBe(file);
  });
  it("has the names of Windows executables on Windows", () => {
    const tried = executableCandidates({
      option: undefined,
      env: { PATH: "C:\\bin", APPDATA: "C:\\app" },
      home: "C:\\home",
      platform: "win32",
    });
    expect(tried.some(({ path }) => path.endsWith("droid.cmd"))).toBe(true);
    expect(tried.every(({ path }) => /droid\.(exe|cmd)$/.test(path))).toBe(true);
  });
});

describe("the version of an executable", () => {
  it("is the one it prints", async () => {
    expect(await readVersion(await executable("droid"))).toBe("0.57.14");
  });
  it("is the one of the npm package that contains it", async () => {
    const file = await executable("pkg", "bin", "droid");
    const manifest = { name: "@factory/cli-linux-x64", version: "1.2.3" };
    await writeFile(join(folder, "pkg", "package.json"), JSON.stringify(manifest, null, 2));
    expect(await readVersion(file)).toBe("1.2.3");
  });
  it("is undefined if it cannot be determined", async () => {
    const file = await executable("silent");
    await writeFile(file, "#!/bin/sh\nexit 3\n");
    expect(await readVersion(file)).toBeUndefined();
    expect(await readVersion(join(folder, "none"))).toBeUndefined();
  });
});
