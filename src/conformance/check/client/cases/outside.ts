import { existsSync } from "node:fs";
import { mkdtemp, readFile, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { ClientCase } from "../case.ts";
import { offeredFiles, playTurn, settled } from "../observe.ts";
import { allowing, contentOf, workspaceOf } from "./files.ts";

/** Ways out of the workspace are closed. */
export const outside: ClientCase = {
  ids: ["DRC-FS-07"],
  run: async (check) => {
    const id = "DRC-FS-07";
    const offered = offeredFiles(check.baseline.allowing);
    if (!offered.read && !offered.write) return check.skip(id, "the client does not offer files");
    const played = await playTurn(
      check,
      async (agent) => {
        const { sessionId } = agent;
        const cwd = workspaceOf(agent);
        const { secret, tries } = await prepareOutside(cwd);
        const wrong: string[] = [];
        for (const { what, path, created, isDevice } of tries) {
          if (offered.read) {
            const answer = await settled(agent.ask("fs/read_text_file", { sessionId, path }));
            if (!answer) wrong.push(`reading ${what} was not answered`);
            else if (isDevice ? "result" in answer : contentOf(answer)?.includes(SECRET))
              wrong.push(`${what} was read`);
          }
          if (offered.write && isDevice) {
            const answer = await settled(
              agent.ask("fs/write_text_file", { sessionId, path, content: "intruder" }),
            );
            if (!answer || "result" in answer) wrong.push(`${what} was written`);
          }
          if (offered.write && created !== undefined) {
            await settled(
              agent.ask("fs/write_text_file", { sessionId, path, content: "intruder" }),
            );
            if (existsSync(created) && (await readFile(created, "utf8")) === "intruder")
              wrong.push(`${what} was written`);
            await writeFile(secret, SECRET);
          }
        }
        return { wrong, count: tries.length };
      },
      allowing(check),
    );
    const { seen } = played;
    if (!seen) check.untested(id, played.problem);
    else if (seen.wrong.length > 0)
      check.fail(id, "nothing outside the workspace is read or written", seen.wrong.join("; "));
    else check.pass(id, `${seen.count} ways out of the workspace were closed`);
  },
};

const SECRET = "secret-outside-of-the-workspace";

interface WayOut {
  readonly what: string;
  readonly path: string;
  /** The file outside that a write would change. Undefined if only reading is tried. */
  readonly created?: string | undefined;
  /** Whether it is a device, which has no content to know it by. */
  readonly isDevice?: boolean | undefined;
}

/** Makes ways out of a workspace: all lead to folders next to it, which belong to the run. */
async function prepareOutside(cwd: string): Promise<{ secret: string; tries: readonly WayOut[] }> {
  const out = await mkdtemp(join(dirname(cwd), "outside-"));
  const sibling = await mkdtemp(`${cwd}-sibling-`);
  const links = await mkdtemp(join(cwd, "links-"));
  const secret = join(out, "secret.txt");
  await writeFile(secret, SECRET);
  await writeFile(join(sibling, "secret.txt"), SECRET);
  await symlink(secret, join(links, "link.txt"));
  await symlink(out, join(links, "linked"));
  await symlink(join(out, "dangling.txt"), join(links, "dangling"));
  const tries: WayOut[] = [
    { what: "a path with ..", path: `${cwd}/../${basename(out)}/secret.txt`, created: secret },
    { what: "another absolute path", path: secret, created: secret },
    {
      what: "a sibling whose name begins like the workspace's",
      path: join(sibling, "secret.txt"),
      created: join(sibling, "secret.txt"),
    },
    { what: "a link to a file", path: join(links, "link.txt"), created: secret },
    {
      what: "a new file in a linked folder",
      path: join(links, "linked", "new.txt"),
      created: join(out, "new.txt"),
    },
    {
      what: "a link that leads nowhere",
      path: join(links, "dangling"),
      created: join(out, "dangling.txt"),
    },
  ];
  // Nothing can be read from this device, so that a client that opens it comes to no harm.
  if (existsSync("/dev/null")) {
    await symlink("/dev/null", join(links, "device"));
    tries.push(
      { what: "a device", path: "/dev/null", isDevice: true },
      { what: "a link to a device", path: join(links, "device"), isDevice: true },
    );
  }
  return { secret, tries };
}
