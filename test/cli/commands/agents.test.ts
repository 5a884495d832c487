import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { events, run, scratch, type Scratch } from "../support/run.ts";

let folders: Scratch;
beforeAll(async () => {
  folders = await scratch();
});
afterAll(() => folders.remove());
const where = () => ({ home: folders.home, cwd: folders.cwd });
describe("dragoman agents", () => {
  it("lists the agents of the settings and the catalogue, and which are installed", async () => {
    const bin = join(folders.home, "bin");
    await mkdir(bin);
    await writeFile(join(bin, "gemini"), "#!/bin/sh\n");
    await chmod(join(bin, "gemini"), 0o755);
    const settings = {
      agent_servers: { mine: { command: "/no/such", env: { TOKEN: "secret-token" } } },
    };
    await writeFile(join(folders.cwd, "s.json"), JSON.stringify(settings));
    const { code, out } = await run(["agents", "--settings", "s.json"], {
      ...where(),
      env: { PATH: bin },
    });
    expect(code).toBe(0);
    expect(out).toMatch(/^AGENT +INSTALLED +COMMAND +ABOUT$/m);
    expect(out).toMatch(/^mine +no +\/no\/such +s\.json$/m);
    expect(out).toMatch(/^gemini +yes +gemini --acp +Gemini CLI$/m);
    expect(out).toMatch(/^claude +no +claude-agent-acp +Claude Agent; npm install -g/m);
    expect(out).toMatch(/^demo +yes /m);
    expect(out).toMatch(/^droid +no +droid-acp /m);
    expect(out).not.toContain("secret-token");
    const json = await run(["agents", "-o", "json"], { ...where(), env: { PATH: bin } });
    expect(events(json.out).find(({ name }) => name === "gemini")).toMatchObject({
      installed: true,
    });
  });
  it("takes no arguments", async () => {
    expect((await run(["agents", "x"], where())).last).toContain("agents takes no arguments");
  });
});
