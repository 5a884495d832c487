import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { PermissionRequest } from "../../../../src/client/gate/permissions/policy.ts";
import { mentionsOf } from "../../../../src/client/gate/permissions/targets.ts";
import { fakeTerminals } from "../fake-terminals.ts";
import { harness, OPTIONS, type Harness } from "../harness.ts";
import { call, CAN_WRITE, METHOD, scriptedAsk, write } from "./permission-calls.ts";

describe("the targets of a tool call", () => {
  const none = { content: [], locations: [], rawInput: undefined };

  it("are read from its diffs and locations, and never from its title", () => {
    const call = {
      title: "cat README",
      content: [{ type: "diff" as const, path: "a.txt", newText: "x" }],
      locations: [{ path: "/w/../x" }],
      rawInput: { path: "ignored", command: "rm -rf /" },
    };
    expect(mentionsOf(call, "/w")).toEqual({
      paths: ["/w/a.txt", "/x"],
      commands: [{ line: "rm -rf /", words: undefined, cwd: undefined, env: {} }],
      isComplete: true,
    });
  });
  it.each([
    [{ command: "ls" }, [{ line: "ls", words: undefined }]],
    [{ cmd: ["ls", "-l"] }, [{ line: undefined, words: ["ls", "-l"] }]],
    [{ command: "ls", args: ["-l"] }, [{ line: undefined, words: ["ls", "-l"] }]],
    [{ command: "" }, []],
    [{ command: 1 }, []],
    ["ls", []],
  ])("in the input %j include the commands %j", (rawInput, commands) => {
    expect(mentionsOf({ ...none, rawInput }, "/w").commands).toMatchObject(commands);
  });
  it.each([
    [{ A: "b" }, { A: "b" }],
    [[{ name: "A", value: "b" }], { A: "b" }],
    [{ A: 1 }, { A: "1" }],
    [undefined, {}],
  ])("with the variables %j include %j", (env, expected) => {
    const [command] = mentionsOf({ ...none, rawInput: { command: "ls", env } }, "/w").commands;
    expect(command?.env).toEqual(expected);
  });
  it("are not complete if it names more than a hundred paths", () => {
    const locations = Array.from({ length: 101 }, (_, index) => ({ path: `/w/${index}` }));
    const mentions = mentionsOf({ ...none, locations }, "/w");
    expect([mentions.paths.length, mentions.isComplete]).toEqual([100, false]);
  });
});

describe("permission to write a file", () => {
  it.each([
    ["a diff", { content: [{ type: "diff", path: "b", newText: "x" }] }, true],
    ["its locations", { locations: [{ path: "WS/b" }] }, true],
    ["its input", { rawInput: { file_path: "WS/b" } }, true],
    ["its title", { title: "Write WS/b" }, false],
    [
      "its locations, beside a diff of another file",
      {
        content: [{ type: "diff", path: "WS/other", newText: "x" }],
        locations: [{ path: "WS/b" }],
      },
      false,
    ],
  ])("is covered by a call with the path in %s %j: %s", async (_case, fields, covered) => {
    const { ask, requests } = scriptedAsk("allow");
    await using h = harness({ permissions: ask, capabilities: CAN_WRITE });
    const resolved: object = JSON.parse(JSON.stringify(fields).replaceAll("WS", h.tree.ws));
    await h.ask(METHOD, call({ kind: "edit", ...resolved }));
    await write(h, "b");
    expect(requests).toHaveLength(covered ? 1 : 2);
  });
});

describe("permission to run a command", () => {
  const ask = (h: Harness, rawInput: object, kind = "execute") =>
    h.ask("session/request_permission", {
      toolCall: { toolCallId: "t1", kind, rawInput, title: "run anything: rm -rf x" },
      options: OPTIONS,
    });

  async function questions(
    rawInput: object,
    params: object,
    kind?: string,
  ): Promise<readonly PermissionRequest[]> {
    const requests: PermissionRequest[] = [];
    const { provider } = fakeTerminals();
    await using h = harness({
      terminal: provider,
      permissions: (request) => {
        requests.push(request);
        return "allow";
      },
    });
    mkdirSync(join(h.tree.ws, "sub"));
    const resolve = (value: object): object =>
      JSON.parse(JSON.stringify(value).replaceAll("WS", h.tree.ws)) as object;
    await ask(h, resolve(rawInput), kind);
    await h.ask("terminal/create", resolve(params));
    return requests;
  }

  it.each<[string, object, object, boolean]>([
    ["the same line", { command: "ls -l" }, { command: "ls -l" }, true],
    ["another line", { command: "ls -l" }, { command: "ls -la" }, false],
    ["the same words", { command: ["ls", "-l"] }, { command: "ls", args: ["-l"] }, true],
    [
      "the same program and arguments",
      { command: "ls", args: ["-l"] },
      { command: "ls", args: ["-l"] },
      true,
    ],
    ["one word more", { command: ["ls"] }, { command: "ls", args: ["-l"] }, false],
    [
      "a shell with the same line",
      { command: "ls -l" },
      { command: "/bin/bash", args: ["-c", "ls -l"] },
      true,
    ],
    [
      "a shell with more arguments",
      { command: "ls -l" },
      { command: "bash", args: ["-c", "ls -l", "x"] },
      false,
    ],
    [
      "a program that is not a shell",
      { command: "ls -l" },
      { command: "./evil", args: ["-c", "ls -l"] },
      false,
    ],
    ["another folder", { command: "ls" }, { command: "ls", cwd: "WS/sub" }, false],
    [
      "the folder that the call named",
      { command: "ls", cwd: "WS/sub" },
      { command: "ls", cwd: "WS/sub" },
      true,
    ],
    [
      "harmless variables",
      { command: "ls" },
      { command: "ls", env: [{ name: "NO_COLOR", value: "1" }] },
      true,
    ],
    [
      "variables that change the command",
      { command: "ls" },
      { command: "ls", env: [{ name: "PATH", value: "." }] },
      false,
    ],
    ["any command if the call named none", { description: "ls" }, { command: "ls" }, false],
  ])("covers %s (call %j, command %j): %s", async (_case, rawInput, params, covered) => {
    expect(await questions(rawInput, params)).toHaveLength(covered ? 1 : 2);
  });

  it("is not given by a call of another kind", async () => {
    expect(await questions({ command: "ls" }, { command: "ls" }, "read")).toHaveLength(2);
  });

  it("is requested with the command, its folder and its variables", async () => {
    const requests = await questions(
      {},
      { command: "ls", args: ["-l"], env: [{ name: "A", value: "b" }] },
    );
    expect(requests[1]).toMatchObject({
      kind: "execute",
      subject: { type: "terminal", command: "ls", args: ["-l"], env: { A: "b" } },
    });
  });
});
