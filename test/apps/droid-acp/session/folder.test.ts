import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkFolder } from "../../../../src/apps/droid-acp/session/session.ts";
import { useTempFolder } from "../../../support/temp-folder.ts";

let folder = "";
useTempFolder((path) => (folder = path));

it("accepts the folder of the session, also through a link", async () => {
  await symlink(folder, join(folder, "link"));
  await checkFolder(folder, folder);
  await checkFolder(folder, `${folder}/`);
  await checkFolder(folder, join(folder, "link"));
});

it("accepts every folder if Droid does not report one", async () => {
  await checkFolder(undefined, folder);
});

it("refuses another folder with -32602 and names the right one", async () => {
  await expect(checkFolder("/gone/away", folder)).rejects.toMatchObject({
    code: -32602,
    data: expect.anything(),
  });
});
