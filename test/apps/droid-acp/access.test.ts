import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { findAccess, hasAccess } from "../../../src/apps/droid-acp/access.ts";
import { useTempFolder } from "../../support/temp-folder.ts";

let home = "";
useTempFolder((path) => (home = path), "test");
beforeEach(() => mkdir(join(home, ".factory")));

const write = (name: string, content: unknown) =>
  writeFile(join(home, ".factory", name), JSON.stringify(content));

describe("the access of Droid to a model", () => {
  it("is missing without a key, a login or an own-key model", async () => {
    await write("settings.json", { customModels: [] });
    const access = await findAccess(home, false);
    expect(access).toEqual({ apiKey: false, login: false, ownModel: false });
    expect(hasAccess(access)).toBe(false);
  });

  it("comes from a key in the environment", async () => {
    expect(hasAccess(await findAccess(home, true))).toBe(true);
  });

  it.each(["auth.json", "auth.encrypted", "auth.v2.file"])(
    "comes from the login %s",
    async (name) => {
      await write(name, {});
      expect(await findAccess(home, false)).toMatchObject({ login: true });
    },
  );

  it.each([
    ["settings.json", { customModels: [{ model: "mine" }] }],
    ["config.json", { custom_models: [{ model: "mine" }] }],
  ])("comes from an own-key model in %s", async (name, content) => {
    await write(name, content);
    expect(await findAccess(home, false)).toMatchObject({ ownModel: true });
  });

  it("does not fail on a file that is not JSON, or without the folder", async () => {
    await writeFile(join(home, ".factory", "settings.json"), "{");
    expect(hasAccess(await findAccess(home, false))).toBe(false);
    expect(hasAccess(await findAccess(join(home, "missing"), false))).toBe(false);
  });
});
