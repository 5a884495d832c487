import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run, scratch, withAgent, type Scratch } from "../support/run.ts";

let folders: Scratch;
beforeAll(async () => {
  folders = await scratch();
});
afterAll(() => folders.remove());
const where = () => ({ home: folders.home, cwd: folders.cwd });
describe("the failure", () => {
  it("of an unknown command names it and what to try", async () => {
    const { code, last } = await run(["--agent-command", "no-such-agent --x", "hi"], where());
    expect(code).toBe(7);
    expect(last).toContain('cannot start "no-such-agent": command not found; try: ');
  });
  it("of an agent in the catalogue says how to install it", async () => {
    const { code, last } = await run(["-a", "goose", "hi"], { ...where(), env: { PATH: "" } });
    expect(code).toBe(7);
    expect(last).toMatch(/^cannot start "goose": command not found; try: curl .*goose/);
  });
  it("of a missing login says how to sign in", async () => {
    const { code, last } = await run([...withAgent("auth"), "hello"], where());
    expect(code).toBe(6);
    expect(last).toContain(
      "needs you to sign in: Authentication required (it offers login); try: --auth login",
    );
    const signedIn = await run([...withAgent("auth"), "--auth", "login", "hello"], where());
    expect(signedIn.out).toBe("Hello, world");
    const wrong = await run([...withAgent("auth"), "--auth", "other", "hello"], where());
    expect(wrong.code).toBe(2);
  });
});
