import { expect, it, describe } from "vitest";
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tokenFor } from "../../../host/hub/serve/rig.ts";
import { RefusalNotes, serverNotePrinter } from "../../../../src/apps/cli/serve/events.ts";
import { parseListen } from "../../../../src/apps/cli/serve/options.ts";
import { GRAMMAR } from "../../../../src/apps/cli/commands/grammar.ts";
import { withoutTokens, serveTokens } from "../../../../src/apps/cli/serve/tokens.ts";
import { hashToken } from "../../../../src/transport/wire/index.ts";
import { fakeIo } from "../support/io.ts";
import { foldersForEach } from "../commands/setup.ts";

it("variables that hold a token of the server are not passed to agents, even an expired one", () => {
  const ada = tokenFor("ada");
  const old = tokenFor("old", { expires: 1 });
  const env = {
    PATH: "/bin",
    A: ada.token,
    B: `Bearer ${old.token}`,
    C: `${ada.token}\n`,
    D: "another-secret",
    E: undefined,
  };
  expect(withoutTokens(env, [ada.grant, old.grant])).toEqual({
    PATH: "/bin",
    A: undefined,
    B: undefined,
    C: undefined,
    D: "another-secret",
    E: undefined,
  });
});

it("notes are printed without secrets, and left out while nobody reads them", () => {
  const notes: string[] = [];
  const screen = { isStderrFull: false };
  const print = serverNotePrinter({ renderer: { note: (text) => notes.push(text) }, screen });
  print("could not start a: no answer from wss://me:not-a-real-key@h/?key=not-a-real-key");
  screen.isStderrFull = true;
  print("later");
  expect(notes).toEqual([
    "could not start a: no answer from wss://me:[redacted]@h/?key=[redacted]",
  ]);
});

describe("notes about refused requests", () => {
  function notes() {
    const printed: string[] = [];
    let now = 0;
    const list = new RefusalNotes(
      () => now,
      (text) => printed.push(text),
    );
    return { printed, list, wait: (ms: number) => void (now += ms) };
  }

  it("are printed once in ten seconds, with a count", () => {
    const { printed, list, wait } = notes();
    for (let n = 0; n < 4; n++) list.add("a");
    list.add("b");
    wait(10_000);
    list.add("a");
    list.add("b");
    expect(printed).toEqual(["a", "b", "a (and 3 times before)", "b"]);
  });

  it("are limited if they all differ, and the rest is counted", () => {
    const { printed, list, wait } = notes();
    for (let n = 0; n < 1000; n++) list.add(String(n));
    expect(printed).toHaveLength(60);
    wait(60_000);
    list.add("x");
    expect(printed.slice(60)).toEqual(["left out 940 more notes about refused requests", "x"]);
  });
});

it.each([
  [undefined, { host: undefined, port: 8790 }],
  ["8080", { host: undefined, port: 8080 }],
  ["0", { host: undefined, port: 0 }],
  ["127.0.0.1:0", { host: "127.0.0.1", port: 0 }],
  ["localhost:80", { host: "localhost", port: 80 }],
  ["[::1]:443", { host: "::1", port: 443 }],
  ["0.0.0.0:65535", { host: "0.0.0.0", port: 65_535 }],
])("--listen %s", (text, address) => {
  expect(parseListen(text)).toEqual(address);
});

it.each([
  "",
  ":8080",
  "host",
  "host:",
  "host:65536",
  "::1:80",
  "[host]:80",
  "a:b:80",
  "http://a:80",
])("--listen %j is refused", (text) => {
  expect(() => parseListen(text)).toThrow("is not HOST:PORT");
});

const folders = foldersForEach();

function tokensOf(...words: readonly string[]) {
  return serveTokens(GRAMMAR.parse(["serve", ...words]).values, fakeIo(folders));
}

async function tokensFile(text: string, mode = 0o600): Promise<string> {
  const path = join(folders.cwd, "tokens.json");
  await writeFile(path, text);
  await chmod(path, mode);
  return path;
}

describe("the token file", () => {
  it("is created in the state folder, for its owner only, and stays the same", async () => {
    const { tokenFile = "", source } = await tokensOf();
    expect(tokenFile).toBe(join(folders.home, ".local/state/dragoman/serve-token"));
    expect((await stat(tokenFile)).mode & 0o777).toBe(0o600);
    const token = (await readFile(tokenFile, "utf8")).trim();
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(await source.load()).toMatchObject([{ name: "default", sha256: hashToken(token) }]);
    await tokensOf();
    expect((await readFile(tokenFile, "utf8")).trim()).toBe(token);
  });

  it("must not be readable by others", async () => {
    const path = join(folders.cwd, "token");
    await writeFile(path, "x".repeat(40));
    await chmod(path, 0o644);
    const { source } = await tokensOf("--token-file", path);
    await expect(source.load()).rejects.toThrow("can be read by others");
  });

  it("must hold a token that cannot be guessed", async () => {
    const path = join(folders.cwd, "token");
    await writeFile(path, "hunter2");
    await chmod(path, 0o600);
    const { source } = await tokensOf("--token-file", path);
    await expect(source.load()).rejects.toThrow("shorter than 32 characters");
  });
});

describe("the tokens file", () => {
  const { grant } = tokenFor("ada", { agents: ["claude"], role: "observer" });

  it("takes the place of the token file", async () => {
    const path = await tokensFile(JSON.stringify({ version: 1, tokens: [grant] }));
    const { source, tokenFile } = await tokensOf("--tokens", path);
    expect(tokenFile).toBeUndefined();
    expect(await source.load()).toEqual([grant]);
    expect(source.files).toEqual([path]);
  });

  it("may be used next to a token file", async () => {
    const path = await tokensFile(JSON.stringify({ version: 1, tokens: [grant] }));
    const { source } = await tokensOf("--tokens", path, "--token-file", "token");
    expect((await source.load()).map(({ name }) => name)).toEqual(["default", "ada"]);
  });

  it.each([
    ['{"version":1,"tokens":[{"name":"default","sha256":"' + "0".repeat(64) + '"}]}', /"default"/],
    ['{"version":2,"tokens":[]}', /version must be 1/],
    ["{", /not valid JSON/],
  ])("%s is refused", async (text, message) => {
    const { source } = await tokensOf("--tokens", await tokensFile(text), "--token-file", "token");
    await expect(source.load()).rejects.toThrow(message);
  });

  it("must not be writable by others, who could add tokens", async () => {
    const path = await tokensFile('{"version":1,"tokens":[]}', 0o666);
    const { source } = await tokensOf("--tokens", path);
    await expect(source.load()).rejects.toThrow("can be changed by others");
  });
});
