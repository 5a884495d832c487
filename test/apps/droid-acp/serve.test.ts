import { describe, expect, it } from "vitest";
import { likelyFolder } from "../../../src/apps/droid-acp/serve.ts";
import { chmod, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { main } from "../../../src/apps/droid-acp/main.ts";
import { useTempFolder } from "../../support/temp-folder.ts";
import { translateLegacyModel } from "../../../src/apps/droid-acp/translate/legacy-models.ts";
import { openAdapterLog } from "../../../src/apps/droid-acp/log.ts";

describe("the likely folder", () => {
  it("is the working directory, unless that is the home folder or the root", () => {
    expect(likelyFolder("/home/u/project", "/home/u")).toBe("/home/u/project");
    expect(likelyFolder("/home/u", "/home/u")).toBeUndefined();
    expect(likelyFolder("/", "/home/u")).toBeUndefined();
  });
});

describe("session/set_model", () => {
  it("becomes session/set_config_option, and other lines stay the same", () => {
    const old = {
      jsonrpc: "2.0",
      id: 1,
      method: "session/set_model",
      params: { sessionId: "s", modelId: "m" },
    };
    expect(JSON.parse(translateLegacyModel(JSON.stringify(old)))).toEqual({
      jsonrpc: "2.0",
      id: 1,
      method: "session/set_config_option",
      params: { sessionId: "s", configId: "model", value: "m" },
    });
    for (const line of [
      "no json session/set_model",
      '{"method":"x","params":"session/set_model"}',
      "{}",
    ])
      expect(translateLegacyModel(line)).toBe(line);
  });
});

let folder = "";
useTempFolder((path) => (folder = path));

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe.skipIf(process.platform === "win32")("the log of droid-acp", () => {
  it("is for the user only, and is continued without secrets", async () => {
    const path = join(folder, "new.log");
    const first = await openAdapterLog(path);
    first.logger.info?.("started", { apiKey: "hidden" });
    first.logger.warn?.("no answer from https://h/?key=hidden");
    await first.close();
    first.logger.info?.("too late");
    const second = await openAdapterLog(path);
    second.tap("acp")({
      at: 0,
      direction: "in",
      line: '{"jsonrpc":"2.0","params":{"text":"postgres://u:hidden@h","token":"hidden"}}',
    });
    await second.close();
    expect(await modeOf(path)).toBe(0o600);
    const text = await readFile(path, "utf8");
    expect(text.split("\n")).toHaveLength(4);
    expect(text).toContain("info started");
    expect(text).not.toMatch(/hidden|too late/);
  });
  it("takes away the rights of others to a file that exists", async () => {
    const path = join(folder, "old.log");
    await writeFile(path, "before\n");
    await chmod(path, 0o664);
    const log = await openAdapterLog(path);
    log.logger.info?.("after");
    await log.close();
    expect(await modeOf(path)).toBe(0o600);
    expect(await readFile(path, "utf8")).toMatch(/^before\n.* info after\n$/);
  });
  it("does not follow a link", async () => {
    const [path, target] = [join(folder, "link.log"), join(folder, "target")];
    await symlink(target, path);
    let err = "";
    const output = { out: () => {}, err: (text: string) => void (err += text) };
    expect(await main(["--log", path], "1.2.3", output)).toBe(1);
    expect(err).toBe(`droid-acp: ${path} is a link; name the file that it leads to\n`);
    await expect(stat(target)).rejects.toThrow("ENOENT");
  });
});
