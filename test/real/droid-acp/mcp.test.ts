import { spawn } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { McpServer } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { droidUnavailable } from "../../support/droid/install.ts";
import { text, toolCall } from "../../../src/conformance/scripted-model/index.ts";
import { isJson } from "./judge.ts";
import { choose, contentOf, toolCalls } from "./reading.ts";
import { isV2, isOld, later, rig, describeScenarios } from "./rig.ts";
import { LONG } from "../../support/droid/describe.ts";

const SERVER = fileURLToPath(new URL("mcp-server.mjs", import.meta.url));

function stdioServer(name: string, env: Readonly<Record<string, string>> = {}): McpServer {
  return {
    name,
    command: process.execPath,
    args: [SERVER, "stdio"],
    env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
  };
}

/** Starts a server over HTTP and returns its URL. */
async function listening(mode: "http" | "sse" | "locked"): Promise<string> {
  const child = spawn(process.execPath, [SERVER, mode], { stdio: ["ignore", "pipe", "inherit"] });
  later(async () => void child.kill("SIGKILL"));
  const port = await new Promise<string>((resolve) => {
    child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString().trim()));
  });
  return `http://127.0.0.1:${port}/${mode === "sse" ? "sse" : "mcp"}`;
}

describeScenarios("MCP servers of droid-acp", ({ version, driver, start }) => {
  // v2 has no SSE.
  test.skipIf(isOld(version) || isV2(driver))(
    "reach Droid over stdio, http and sse, with env and headers",
    async () => {
      const headers = [{ name: "x-secret", value: "by-header" }];
      const { client, home, model } = await start({
        adapter: { mode: "high" },
        answers: { permission: choose("allow_once") },
      });
      const session = await client.newSession(home.workspace, [
        stdioServer("one", { SECRET: "by-env" }),
        { type: "http", name: "two", url: await listening("http"), headers },
        { type: "sse", name: "three", url: await listening("sse"), headers },
      ]);
      model.push(
        [toolCall("one___ping"), toolCall("two___ping"), toolCall("three___ping")],
        text("done"),
      );
      expect(await client.prompt(session, "ping all")).toBe("end_turn");
      const made = [...toolCalls(client).values()];
      expect(made.map((call) => [call["title"], call["kind"], call["status"]])).toEqual([
        ["one: ping", "other", "completed"],
        ["two: ping", "other", "completed"],
        ["three: ping", "other", "completed"],
      ]);
      expect(made.map((call) => contentOf(call).join(""))).toEqual([
        expect.stringContaining("pong by-env"),
        expect.stringContaining("pong by-header"),
        expect.stringContaining("pong by-header"),
      ]);
      expect(await readdir(home.workspace)).toEqual([]);
      expect(await readdir(`${home.home}/.factory`)).not.toContain("mcp.json");
    },
  );

  test("that do not work are reported, and one that hangs does not block the session for long", async () => {
    const { client, home } = await start({
      script: [text("hello")],
      capabilities: { session: { notices: {} } },
    });
    const firstStart = performance.now();
    const session = await client.newSession(home.workspace, [
      { name: "broken", command: "/nowhere/at/all", args: [], env: [] },
    ]);
    await client.until(() =>
      client.ofKind("notice").some((notice) => String(notice["title"]).includes("broken")),
    );
    expect(await client.prompt(session, "hello")).toBe("end_turn");

    const secondStart = performance.now();
    const hanging = await client.newSession(home.workspace, [
      { name: "hangs", command: "/bin/sleep", args: ["1000"], env: [] },
    ]);
    // Three seconds for the server, plus the time that Droid took to start before.
    expect(performance.now() - secondStart).toBeLessThan(
      3000 + Math.max(8000, secondStart - firstStart),
    );
    if (isOld(version)) return;
    const waiting = client.prompt(hanging, "hello?");
    await client.until(() =>
      client.ofKind("notice").some((notice) => notice["title"] === "Waiting for MCP servers"),
    );
    await client.cancel(hanging);
    expect(await waiting).toBe("cancelled");
  });
});

describeScenarios("an MCP server of the project that needs a login", ({ version, start }) => {
  test("is reported with the URL to sign in, and works after that", async () => {
    const { client, home, model } = await start({
      adapter: { mode: "high" },
      capabilities: { session: { notices: {} } },
      answers: { permission: choose("allow_once") },
    });
    await mkdir(`${home.workspace}/.factory`);
    const locked = { type: "http", url: await listening("locked") };
    await writeFile(
      `${home.workspace}/.factory/mcp.json`,
      JSON.stringify({ mcpServers: { locked } }),
    );
    const notices = (): string =>
      client
        .ofKind("notice")
        .map(({ title, description }) => `${String(title)}\n${String(description)}`)
        .join("\n");
    const session = await client.newSession(home.workspace);
    await client.until(() => notices().includes("The MCP server locked needs a login"));
    const urlReported = (): Promise<void> =>
      client.until(() => /Sign in at http:\/\/127\.0\.0\.1:\d+\/authorize/.test(notices()));
    // Up to 0.117, Droid sends the URL unasked, and a second one that is wrong.
    if (isOld(version)) return urlReported();
    expect(notices()).toContain("/mcp-login locked");
    const login = client.prompt(session, "/mcp-login locked");
    await urlReported();
    const [, url = ""] = /Sign in at (\S+)/.exec(notices()) ?? [];
    expect((await fetch(url)).ok).toBe(true);
    expect(await login).toBe("end_turn");
    await client.until(() => notices().includes("Signed in to the MCP server locked"));
    expect(client.text()).toBe("Signed in to the MCP server locked.\n");
    expect(notices().match(/\/mcp-login locked/g)).toHaveLength(1);

    model.push(toolCall("locked___ping"), text("pinged"));
    expect(await client.prompt(session, "ping")).toBe("end_turn");
    expect(contentOf([...toolCalls(client).values()].at(-1)).join("")).toContain("pong");
    expect(await client.prompt(session, "/mcp-login nowhere")).toBe("end_turn");
    expect(client.text()).toContain("Could not sign in to the MCP server “nowhere”");
  });
});

describe.skipIf(droidUnavailable() !== undefined)(
  "a process that was started ahead",
  { timeout: LONG },
  () => {
    test("has the commands, hooks and MCP servers of the project, and is not used once they change", async () => {
      const { client, home, model } = await rig({
        adapter: { ahead: true, aheadDelayMs: 0, mode: "high" },
        answers: { permission: choose("allow_once") },
      });
      const factory = `${home.workspace}/.factory`;
      await mkdir(`${factory}/commands`, { recursive: true });
      await writeFile(
        `${factory}/commands/hello.md`,
        "---\ndescription: says hello\n---\nSay hello to $ARGUMENTS",
      );
      const server = { type: "stdio", command: process.execPath, args: [SERVER, "stdio"] };
      await writeFile(`${factory}/mcp.json`, JSON.stringify({ mcpServers: { project: server } }));
      const hook = { type: "command", command: `echo ran >> ${home.workspace}/hook.txt` };
      await writeFile(
        `${factory}/settings.json`,
        JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [hook] }] } }),
      );
      const commands = (from: number): unknown[] =>
        client.ofKind("available_commands_update", from).flatMap((update) => {
          const list = update["availableCommands"];
          return Array.isArray(list) ? list.filter(isJson).map((command) => command["name"]) : [];
        });

      await client.newSession(home.workspace);
      await client.until(() => commands(0).includes("hello"));
      const from = client.updates.length;
      const second = await client.newSession(home.workspace);
      await client.until(() => commands(from).includes("hello"));
      expect(commands(from)).toEqual(expect.arrayContaining(["hello", "compact", "context"]));
      model.push(text("hi"), toolCall("project___ping"), text("pinged"));
      expect(await client.prompt(second, "/hello bob")).toBe("end_turn");
      expect(JSON.stringify(model.calls.at(-1)?.body["messages"])).toContain("Say hello to bob");
      expect(await readFile(`${home.workspace}/hook.txt`, "utf8")).toContain("ran");
      expect(await client.prompt(second, "ping")).toBe("end_turn");
      expect(contentOf([...toolCalls(client).values()].at(-1)).join("")).toContain("pong");

      await writeFile(`${factory}/commands/late.md`, "---\ndescription: came late\n---\nLate");
      const more = client.updates.length;
      await client.newSession(home.workspace);
      await client.until(() => commands(more).includes("hello"));
      expect(commands(more)).toContain("late");
    });
  },
);
