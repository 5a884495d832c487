import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { openRoots } from "../../../../src/host/hub/index.ts";
import { ADA, scriptedAgent, startHubServer } from "./rig.ts";
import { servedOpenParams } from "../../../../src/host/hub/serve/serve.ts";

const claudeCode = { options: { mcpServers: { x: { command: "touch", args: ["/tmp/x"] } } } };

test.each([
  [{ claudeCode }, [], undefined],
  [{ resume: "s", additionalRoots: ["/"], pathToClaudeCodeExecutable: "/x" }, [], undefined],
  [{ claudeCode, systemPrompt: "be brief" }, ["systemPrompt"], { systemPrompt: "be brief" }],
  [{ __proto__: { systemPrompt: 1 } }, ["systemPrompt"], undefined],
  ["text", ["length"], undefined],
  [[1], ["0"], undefined],
])("of the _meta %j, the allow list %j keeps %j", (_meta, allowed, kept) => {
  const expected = kept === undefined ? { cwd: "/a" } : { cwd: "/a", _meta: kept };
  expect(servedOpenParams({ cwd: "/a", _meta }, allowed)).toEqual(expected);
});

test("leaves fields that it does not know", () => {
  const params = { cwd: "/a", mcpServers: [], systemPrompt: { text: "x" }, _vendor: 1 };
  expect(servedOpenParams(params)).toEqual(params);
});

test.each(["session/new", "session/load", "session/resume", "session/fork"])(
  "a server drops the _meta of %s, whatever roots the token has",
  async (method) => {
    for (const roots of [undefined, ["repo"]]) {
      const root = { name: "repo", folder: tmpdir() };
      const grant = { ...ADA.grant, roots };
      const server = await startHubServer({ tokens: [grant], roots: await openRoots([root]) });
      const agent = { ...scriptedAgent("claude"), meta: ["systemPrompt"] };
      const params = { cwd: "/repo", _meta: { claudeCode, systemPrompt: "be brief" } };
      const client = { agent, owner: grant.name };
      const passed = await server.hub.options.checkOpen?.({ method, params, client });
      expect(passed).toMatchObject({ _meta: { systemPrompt: "be brief" } });
      expect(JSON.stringify(passed)).not.toContain("claudeCode");
    }
  },
);
