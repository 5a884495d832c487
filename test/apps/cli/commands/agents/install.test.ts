import { access, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { registryPlatform } from "../../../../../src/apps/cli/commands/agents/install-plan.ts";
import { FakeTerminal, type FakeIoOptions } from "../../support/io.ts";
import { events, run, start } from "../../support/run.ts";
import { agentArchive, fakeNpm, hashOf, publish, serveFiles, type FileServer } from "./registry.ts";
import { expectRefused, foldersForEach } from "../setup.ts";

const folders = foldersForEach();
let server: FileServer;
beforeEach(async () => {
  server = await serveFiles();
});
afterEach(async () => {
  await server.close();
});

const options = (more: FakeIoOptions = {}): FakeIoOptions => ({
  ...folders,
  ...more,
  env: {
    npm_config_registry: server.url,
    npm_config_cache: join(folders.home, ".npm"),
    npm_config_userconfig: join(folders.home, ".npmrc"),
    ...more.env,
  },
});
const dragoman = (...argv: string[]) => run(argv, options());
/** An action of `agents`, of the tester unless another is named, with a stand-in for npm. */
const quickly = async (action: string, ...words: string[]) => {
  const PATH = `${await fakeNpm(folders.home)}:${process.env["PATH"]}`;
  const names = words.length === 1 ? words : ["tester", ...words];
  return run(["agents", action, ...names, "-y"], options({ env: { PATH } }));
};
const installFrom = (registry: string) =>
  dragoman("agents", "install", "tester", "--registry", registry, "--yes");
const data = () => join(folders.home, ".local/share/dragoman/agents");
const platform = registryPlatform("linux", process.arch) ?? "";

/** Offers agents in a registry of the official format. Returns its address. */
const offer = (...agents: readonly object[]): string => {
  server.files.set("/registry.json", JSON.stringify({ version: "1.0.0", agents }));
  return `${server.url}/registry.json`;
};
const npxAgent = (version = "1.2.3") => ({
  id: "tester",
  name: "The tester",
  version,
  description: "a test",
  distribution: {
    npx: { package: `@test/agent@${version}`, args: ["commands-first"], env: { TESTER: "1" } },
  },
});
const binaryAgent = (bytes: Buffer, target: object = {}) => ({
  id: "tester",
  name: "The tester",
  version: "2.0.0",
  description: "a test",
  distribution: {
    binary: {
      [platform]: {
        archive: `${server.url}/agent.tgz`,
        sha256: hashOf(bytes, "sha256"),
        cmd: "./bin/test-agent",
        ...target,
      },
    },
  },
});

describe("dragoman agents install", () => {
  it("prints what it will load and run, asks, and installs a package of a registry", async () => {
    const integrity = await publish(server, folders.home, "@test/agent", "1.2.3");
    const registry = offer(npxAgent());
    const terminal = new FakeTerminal();
    const argv = ["agents", "install", "tester", "--registry", registry];
    const { io, ended } = start(argv, options({ terminal }));
    await terminal.output.waitFor("Install it? [y/N]");
    // So far only the registry was read, and nothing was written.
    expect(server.asked).toEqual(["/registry.json"]);
    await expect(access(data())).rejects.toThrow();
    expect(io.err.text).toContain(`tester 1.2.3 (The tester), from ${registry}\n`);
    expect(io.err.text).toContain("  package     @test/agent@1.2.3\n");
    expect(io.err.text).toMatch(
      /^ {2}runs now {4}npm install --prefix \S+ --ignore-scripts .* @test\/agent@1\.2\.3$/m,
    );
    expect(io.err.text).toContain("  with        TESTER=1\n");
    terminal.type("y\n");
    const { code, last } = await ended;
    expect([code, last]).toEqual([
      0,
      expect.stringMatching(/^installed tester 1\.2\.3: .*test-agent/),
    ]);
    const manifest: unknown = JSON.parse(await readFile(join(data(), "tester/agent.json"), "utf8"));
    expect(manifest).toMatchObject({ version: "1.2.3", integrity, registry, env: { TESTER: "1" } });
    expect(await readdir(folders.home)).not.toContain("script-ran");

    expect((await dragoman("-a", "tester", "hello")).out).toBe("Hello, world");
    const listed = events((await dragoman("agents", "-o", "events")).out);
    expect(listed.find(({ name }) => name === "tester")).toMatchObject({
      installed: true,
      version: "1.2.3",
      command: "test-agent commands-first",
      from: registry,
    });
    expect((await dragoman(...argv)).last).toBe("tester 1.2.3 is already installed");
  }, 60_000);

  it("changes nothing if the user does not agree", async () => {
    const registry = offer(npxAgent());
    const terminal = new FakeTerminal();
    const argv = ["agents", "install", "tester", "--registry", registry];
    const { ended } = start(argv, options({ terminal }));
    await terminal.output.waitFor("Install it?");
    terminal.type("\n");
    expect((await ended).last).toBe("nothing was changed");
    const alone = "nothing was changed: there is no terminal to ask on; try: --yes to agree";
    await expectRefused(dragoman(...argv), alone);
    await expect(access(data())).rejects.toThrow();
  });

  it("updates from where the agent came from, and removes it", async () => {
    await quickly("install", "--registry", offer(npxAgent()));
    expect((await quickly("update")).last).toBe("tester 1.2.3 is up to date");
    offer(npxAgent("1.3.0"));
    expect((await quickly("update")).last).toContain("installed tester 1.3.0");
    const versions = await readdir(join(data(), "tester"));
    expect(versions.toSorted()).toEqual([expect.stringMatching(/^1\.3\.0-/), "agent.json"]);
    expect((await quickly("remove")).last).toBe("removed tester 1.3.0");
    expect(await readdir(data())).toEqual([]);
    await expectRefused(quickly("update"), "was not installed by dragoman");
  });

  it("removes everything again if the package is not the expected one", async () => {
    // The catalogue knows the hash of the real package.
    const other = /^@google\/gemini-cli@0\.61\.0 is not the expected file: its hash is sha512-/;
    await expectRefused(quickly("install", "gemini"), other, 1);
    expect(await readdir(data())).toEqual([]);
  });

  it("keeps the version that works if an update fails", async () => {
    await quickly("install", "--registry", offer(npxAgent()));
    offer(npxAgent("9.9.9"));
    await expectRefused(quickly("update"), "@test/agent@9.9.9 failed (exit code 1)", 1);
    expect((await dragoman("-a", "tester", "hello")).out).toBe("Hello, world");
    expect(await readdir(join(data(), "tester"))).toHaveLength(2);
  });

  it("loads, verifies and unpacks an archive", async () => {
    const bytes = await agentArchive(folders.home);
    server.files.set("/agent.tgz", bytes);
    const registry = offer(binaryAgent(bytes));
    const { code, err } = await installFrom(registry);
    expect(code).toBe(0);
    expect(err).toContain(`  verified    sha256-${hashOf(bytes, "sha256")}\n`);
    expect(err).toMatch(/^ {2}runs now {4}tar -xf \S+agent\.tgz -C \S+files$/m);
    expect((await dragoman("-a", "tester", "hello")).out).toBe("Hello, world");
  });

  it("refuses an archive with another hash, or without one", async () => {
    const bytes = await agentArchive(folders.home);
    server.files.set("/agent.tgz", Buffer.concat([bytes, Buffer.from("x")]));
    const install = ["agents", "install", "tester", "-y", "--registry"];
    const other = dragoman(...install, offer(binaryAgent(bytes)));
    await expectRefused(other, "is not the expected file", 1);
    expect(await readdir(data())).toEqual([]);
    const without = dragoman(...install, offer(binaryAgent(bytes, { sha256: undefined })));
    const reason = "has no sha256 for its archive, so that it cannot be verified";
    await expectRefused(without, reason);
    server.files.set("/agent.tgz", bytes);
    const given = ["--sha256", hashOf(bytes, "sha256")];
    const registry = offer(binaryAgent(bytes, { sha256: undefined }));
    expect((await dragoman(...install, registry, ...given)).code).toBe(0);
  });

  it("refuses an archive without its program", async () => {
    const bytes = await agentArchive(folders.home);
    server.files.set("/agent.tgz", bytes);
    const registry = offer(binaryAgent(bytes, { cmd: "./bin/gone" }));
    await expectRefused(installFrom(registry), "there is no program ./bin/gone", 1);
    expect(await readdir(data())).toEqual([]);
  });

  it("refuses a program that is a link out of the archive", async () => {
    const outside = join(folders.home, "outside");
    await writeFile(outside, "", { mode: 0o600 });
    const bytes = await agentArchive(folders.home, outside);
    server.files.set("/agent.tgz", bytes);
    const ended = installFrom(offer(binaryAgent(bytes)));
    await expectRefused(ended, "it leads out of its folder", 1);
    expect((await stat(outside)).mode & 0o777).toBe(0o600);
    expect(await readdir(data())).toEqual([]);
  });

  it("installs a Python package with uv", async () => {
    const bin = join(folders.home, "bin");
    await mkdir(bin);
    const uv = `#!/bin/sh
echo "$@" > ${folders.home}/uv-args
mkdir -p "$UV_TOOL_BIN_DIR" && cp ${folders.home}/archive/bin/test-agent "$UV_TOOL_BIN_DIR/py-agent"
`;
    await agentArchive(folders.home);
    await writeFile(join(bin, "uv"), uv, { mode: 0o755 });
    const uvx = { package: "py-agent==3.1.0" };
    const agent = { ...npxAgent("3.1.0"), distribution: { uvx } };
    const argv = ["agents", "install", "tester", "-y", "--registry", offer(agent)];
    const env = { PATH: `${bin}:${process.env["PATH"]}` };
    expect((await run(argv, options({ env }))).code).toBe(0);
    expect(await readFile(join(folders.home, "uv-args"), "utf8")).toBe(
      "tool install --no-config py-agent==3.1.0\n",
    );
    expect((await dragoman("-a", "tester", "hello")).out).toBe("Hello, world");
  });

  it("ends on Ctrl-C and leaves nothing behind", async () => {
    const bin = join(folders.home, "bin");
    await mkdir(bin);
    const npm = `#!/bin/sh\ntouch ${folders.home}/npm-started\nexec sleep 600\n`;
    await writeFile(join(bin, "npm"), npm, { mode: 0o755 });
    const argv = ["agents", "install", "tester", "-yv", "--registry", offer(npxAgent())];
    const { io, ended } = start(argv, options({ env: { PATH: `${bin}:${process.env["PATH"]}` } }));
    await io.err.waitFor("runs later");
    io.signal("SIGINT");
    expect((await ended).code).toBe(130);
    expect(await readdir(data()).catch(() => [])).toEqual([]);
  });

  it.each([
    [["agents", "install"], "agents install needs the name of one agent"],
    [["agents", "install", "a", "b"], "agents install needs the name of one agent"],
    [["agents", "frobnicate"], 'unknown action "frobnicate" for agents'],
    [["agents", "--yes"], "--yes is for agents install"],
    [["agents", "install", "nosuch"], 'unknown agent "nosuch": it is not in the catalogue'],
    [["agents", "install", "droid"], "Dragoman does not install droid itself; try: curl"],
    [["agents", "install", "demo"], "Dragoman does not install demo itself"],
    [["agents", "install", "x", "--registry", "http://example.com/r.json"], "is not an https"],
    [["agents", "install", "x", "--registry", "gone.json"], "gone.json: no such registry file"],
  ])("%j is a usage error", (argv, message) => expectRefused(dragoman(...argv), message));

  it("reports a registry that cannot be loaded", async () => {
    const { code, last } = await dragoman("agents", "install", "x", "--registry", server.url);
    expect([code, last]).toEqual([1, `could not load ${server.url}: the server answered 404`]);
  });

  it("never happens on the way to a prompt", async () => {
    const { code } = await run(["-a", "gemini", "hello"], options({ env: { PATH: "" } }));
    expect(code).toBe(7);
    expect(server.asked).toEqual([]);
    await expect(access(dirname(data()))).rejects.toThrow();
  });
});
