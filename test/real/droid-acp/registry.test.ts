import { mkdtemp, rm } from "node:fs/promises";
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { FrameChecker } from "../../support/schema.ts";
import { droidAcp, exited } from "./bin.ts";
import { isJson, type Json } from "./judge.ts";
import { later } from "./rig.ts";

/** The request with which the registry (github.com/agentclientprotocol/registry) checks an agent. */
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: 1,
    clientInfo: { name: "ACP Registry Validator", version: "1.0.0" },
    clientCapabilities: {
      terminal: true,
      fs: { readTextFile: true, writeTextFile: true },
      _meta: { terminal_output: true, "terminal-auth": true },
    },
  },
};

/** A method without a type is one that the agent handles itself. */
function typeOf(method: Json): unknown {
  return method["type"] ?? "agent";
}

test("droid-acp passes the handshake of the ACP registry, on a machine without Droid", async () => {
  const home = await mkdtemp(join(tmpdir(), "registry-"));
  later(() => rm(home, { recursive: true, force: true }));
  const env = { PATH: "/usr/bin:/bin", HOME: home, TERM: "dumb" };
  const child = spawn(process.execPath, [await droidAcp()], { cwd: home, env });
  const line = JSON.stringify(INITIALIZE);
  const answer = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).once("line", resolve);
  });
  child.stdin.write(`${line}\n`);

  // The first line on stdout must be the answer.
  const checker = new FrameChecker("agent", "unstable");
  checker.saw("client", line);
  checker.saw("agent", await answer);
  expect(checker.faults).toEqual([]);
  const frame: unknown = JSON.parse(await answer);
  const result = isJson(frame) ? frame["result"] : undefined;
  const methods =
    isJson(result) && Array.isArray(result["authMethods"]) ? result["authMethods"] : [];
  const types = methods.filter(isJson).map(typeOf);
  expect(types.filter((type) => type === "agent" || type === "terminal")).not.toEqual([]);

  child.kill("SIGTERM");
  expect(await exited(child)).toBe(0);
});
