import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { events, run } from "../../support/run.ts";
import { foldersForAll } from "../setup.ts";

const folders = foldersForAll();
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
      ...folders,
      env: { PATH: bin },
    });
    expect(code).toBe(0);
    expect(out).toMatch(/^ {2}AGENT +INSTALLED +COMMAND +ABOUT$/m);
    expect(out).toMatch(/^\* mine +no +\/no\/such +s\.json$/m);
    expect(out).toMatch(/^ {2}gemini +yes +gemini --acp +Gemini CLI$/m);
    expect(out).toMatch(
      /^ {2}claude +no +claude-agent-acp +Claude Agent; dragoman agents install claude$/m,
    );
    expect(out).toMatch(/^ {2}demo +yes /m);
    expect(out).toMatch(/^ {2}droid +no +droid-acp .*; curl/m);
    expect(out).not.toContain("secret-token");
    const json = await run(["agents", "-o", "json"], { ...folders, env: { PATH: bin } });
    expect(events(json.out).find(({ name }) => name === "gemini")).toMatchObject({
      installed: true,
    });
  });
  it("lists installed agents first, and marks the default one", async () => {
    const env = { PATH: join(folders.home, "bin") };
    const names = (out: string) => out.split("\n").map((line) => line.slice(0, 12).trimEnd());
    const found = await run(["agents"], { ...folders, env });
    expect(names(found.out).slice(1, 4)).toEqual(["  demo", "* gemini", "  droid"]);
    const chosen = await run(["agents"], { ...folders, env: { ...env, DRAGOMAN_AGENT: "demo" } });
    expect(names(chosen.out).slice(1, 3)).toEqual(["* demo", "  gemini"]);
    const json = await run(["agents", "-o", "events"], { ...folders, env });
    expect(events(json.out).filter((event) => event["default"] === true)).toMatchObject([
      { name: "gemini" },
    ]);
  });
  it.each([50, 80, 120])("fits a terminal of %i columns", async (columns) => {
    const { out } = await run(["agents"], { ...folders, stdoutTty: true, columns });
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(out.replace(/\s+/g, " ")).toContain("Claude Agent; dragoman agents install claude ");
  });
  it("takes no arguments to list", async () => {
    const { last } = await run(["agents", "list", "x"], folders);
    expect(last).toContain("agents list takes no arguments");
  });
});
