import { describe, expect, it } from "vitest";
import { events, run, withAgent } from "../../support/run.ts";
import { foldersForAll } from "../setup.ts";

const folders = foldersForAll();
describe("dragoman doctor", () => {
  it("prints each step with its duration", async () => {
    const { code, out } = await run(["doctor", ...withAgent()], folders);
    expect(code).toBe(0);
    expect(out).toMatch(/^ok {3}command +\d+\.\d\d s {2}\/.*node$/m);
    expect(out).toMatch(
      /^ok {3}version .*v\d+\..* \(its runtime; the handshake shows the agent's own version\)$/m,
    );
    expect(out).toMatch(/^ok {3}handshake .*The CLI's agent 9\.9, protocol 1$/m);
    expect(out).toMatch(/^ok {3}session .*opened without a login$/m);
    expect(out).toMatch(/^node works$/m);
  });
  it.each([
    [["doctor", "--agent-command", "no-such-agent"], 7, /^FAIL command/m],
    [["doctor", ...withAgent("die-in-initialize")], 7, /^FAIL handshake .*exit code 4/m],
    [["doctor", ...withAgent("protocol=9")], 1, /^FAIL handshake .*version 9/m],
    [["doctor", ...withAgent("auth")], 6, /^FAIL session .*needs you to sign in/m],
    [["doctor", "nobody"], 2, /^$/],
  ])("%j exits with %i", async (argv, code, pattern) => {
    const ended = await run(argv, folders);
    expect(ended.code).toBe(code);
    expect(ended.out).toMatch(pattern);
  });
  it("does not recommend itself after a failure", async () => {
    const { code, last } = await run(
      ["doctor", "--agent-command", "sh -c 'echo boom >&2; exit 3'"],
      folders,
    );
    expect({ code, last }).toEqual({
      code: 7,
      last: "sh died while starting (exit code 3); stderr ends with: boom; try: sh -c 'echo boom >&2; exit 3' in a terminal, to see its own output",
    });
  });

  it("prints the failure last, after the note about the agent's other output", async () => {
    const { err, last } = await run(["doctor", ...withAgent("noisy-start", "auth")], folders);
    expect(err).toContain("ignored 2 lines on the agent's stdout that are not protocol messages");
    expect(last).toContain("needs you to sign in");
  });

  it.each([
    [[], true],
    [["no-list"], false],
  ])("deletes the session that it opened, if an agent %j can", async (switches, deletes) => {
    const { out } = await run(["doctor", "-o", "jsonl", ...withAgent(...switches)], folders);
    expect(out).toContain('"session/new"');
    expect(out.includes('"session/delete"')).toBe(deletes);
  });

  it("sends a prompt with --prompt", async () => {
    const { code, out } = await run(["doctor", "--prompt", ...withAgent()], folders);
    expect(code).toBe(0);
    expect(out).toMatch(/^ok {3}prompt +\d+\.\d\d s {2}answered ".+"$/m);
    expect(out).toMatch(/^node answered a prompt$/m);
  });

  it("fails if the agent does not answer the prompt of --prompt", async () => {
    const argv = ["doctor", "--prompt", ...withAgent("mute")];
    const { code, out, last } = await run(argv, folders);
    expect(code).toBe(1);
    expect(out).toMatch(/^FAIL prompt .*node answered a prompt without any text \(refusal\)$/m);
    expect(last).toContain("without any text (refusal)");
  });

  it("writes each step as an event", async () => {
    const { out } = await run(["doctor", "-o", "events", ...withAgent()], folders);
    const steps = events(out).filter(({ type }) => type === "doctor");
    expect(steps.map(({ step, ok }) => [step, ok])).toEqual([
      ["command", true],
      ["version", true],
      ["handshake", true],
      ["session", true],
    ]);
  });
});
