import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkLoadedFolder } from "../../../../src/apps/droid-acp/session/session.ts";
import { useTempFolder } from "../../../support/temp-folder.ts";

let folder = "";
useTempFolder((path) => (folder = path));

it("accepts the folder of the session, also through a link", async () => {
  await symlink(folder, join(folder, "link"));
  await checkLoadedFolder(folder, folder);
  await checkLoadedFolder(folder, `${folder}/`);
  await checkLoadedFolder(folder, join(folder, "link"));
});

it("accepts every folder if Droid does not report one", async () => {
  await checkLoadedFolder(undefined, folder);
});

it("refuses another folder with -32602 and names the right one", async () => {
  await expect(checkLoadedFolder("/gone/away", folder)).rejects.toMatchObject({
    rpcCode: -32602,
    data: expect.anything(),
  });
});
