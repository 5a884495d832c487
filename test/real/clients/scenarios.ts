import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { Stage } from "./agents.ts";
import type { ForeignClient, PromptStep, ScenarioName, StepResult } from "./client.ts";

/** The outcome of scenarios, where it is not just that they work. */
export type Cells = Partial<Record<ScenarioName, string>>;

export async function prompt(client: ForeignClient, stage: Stage): Promise<Cells> {
  const { say, expect: words } = stage.answer();
  const [opened, turn] = await openAndPrompt(client, stage, { text: say });
  expect(opened?.sessionId).toBeTruthy();
  expect(turn?.text).toContain(words);
  expect(turn?.stopReason ?? "end_turn").toBe("end_turn");
  return {};
}

export async function deny(client: ForeignClient, stage: Stage): Promise<Cells> {
  const { say, denied } = stage.write();
  const [, turn] = await openAndPrompt(client, stage, { text: say, permission: "deny" });
  expect(turn?.text).toContain(denied);
  await expect(access(made(stage))).rejects.toThrow("ENOENT");
  return { deny: stopReasonOf(turn?.stopReason) };
}

export async function allow(client: ForeignClient, stage: Stage): Promise<Cells> {
  const { say, allowed } = stage.write();
  const [, turn] = await openAndPrompt(client, stage, { text: say, permission: "allow" });
  expect(turn?.text).toContain(allowed);
  expect(await readFile(made(stage), "utf8")).toBe("by the agent\n");
  expect(turn?.stopReason ?? "end_turn").toBe("end_turn");
  return {};
}

/** Cancels a turn if the client can, and sends another prompt. */
export async function cancel(client: ForeignClient, stage: Stage): Promise<Cells> {
  const canCancel = client.notOffered.cancel === undefined;
  const first = canCancel ? stage.wait() : stage.answer();
  const answer = stage.answer();
  const [, cancelled, again] = await client.run(stage.agent, [
    { do: "open" },
    { do: "prompt", text: first.say, ...(canCancel && { cancelAt: first.expect }) },
    { do: "prompt", text: answer.say },
  ]);
  if (canCancel) {
    await stage.verifyCancelled();
    expect(cancelled?.stopReason ?? "cancelled").toBe("cancelled");
  }
  expect(again?.text).toContain(answer.expect);
  expect(again?.stopReason ?? "end_turn").toBe("end_turn");
  return { cancel: stopReasonOf(cancelled?.stopReason) };
}

export async function load(client: ForeignClient, stage: Stage): Promise<Cells> {
  const words = "the word is heliotrope";
  stage.answer();
  const [opened] = await openAndPrompt(client, stage, { text: `Remember: ${words}` });
  const sessionId = opened?.sessionId ?? "";
  const { say, expect: answer } = stage.answer();
  const [loaded, turn] = await client.run(stage.agent, [
    { do: "load", sessionId },
    { do: "prompt", text: say },
  ]);
  expect(loaded?.sessionId).toBe(sessionId);
  expect(turn?.text).toContain(answer);
  await stage.verifyRemembers(sessionId, words);
  return {};
}

function openAndPrompt(
  client: ForeignClient,
  stage: Stage,
  prompted: Omit<PromptStep, "do">,
): Promise<readonly StepResult[]> {
  return client.run(stage.agent, [{ do: "open" }, { do: "prompt", ...prompted }]);
}

function made({ agent }: Stage): string {
  return join(agent.cwd, "made.txt");
}

function stopReasonOf(stopReason: string | undefined): string {
  return stopReason === undefined ? "works" : `\`${stopReason}\``;
}
