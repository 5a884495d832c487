// What a person sees who has no Droid, with the real adapter.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { INSTALL } from "../../src/adapter/doctor/missing.ts";
import { catalogueEntry } from "../../src/cli/agents/catalogue.ts";
import { buildBin, type BuiltBin } from "./support/bin.ts";
import { events, run, scratch, type Scratch } from "./support/run.ts";

const SEARCHED = "Droid was not found on the PATH or in the usual folders";
const ADVICE = `install Droid (${INSTALL}), or set its path with DROID_EXECUTABLE or droid-acp --droid`;

describe("without a Droid", () => {
  let adapter: BuiltBin;
  let place: Scratch;
  beforeAll(async () => {
    [adapter, place] = await Promise.all([buildBin("droid-acp"), scratch()]);
  });
  afterAll(() => Promise.all([adapter.remove(), place.remove()]));

  const where = (env: Record<string, string> = {}) => ({
    home: place.home,
    cwd: place.cwd,
    env: { PATH: `${place.home}:${place.home}`, ...env },
    droidAcp: adapter.file,
  });

  it("the catalogue and the adapter name the same way to get it", () => {
    expect(catalogueEntry("droid")?.install).toBe(INSTALL);
  });
  it("a prompt cannot start, in one short line with the way to get it", async () => {
    const { code, out, err } = await run(["-a", "droid", "hi"], where());
    expect({ code, out, err }).toEqual({
      code: 7,
      out: "",
      err: `dragoman: droid cannot start: ${SEARCHED}; try: ${ADVICE}\n`,
    });
  });
  it("a path that leads nowhere is named", async () => {
    const { code, last } = await run(
      ["-a", "droid", "hi"],
      where({ DROID_EXECUTABLE: "/no/droid" }),
    );
    expect(code).toBe(7);
    expect(last).toContain("there is no executable file at /no/droid (DROID_EXECUTABLE); try: ");
  });
  it("the doctor lists every place once, and the last line stays short", async () => {
    const { code, out, last } = await run(["doctor", "droid"], where());
    expect(code).toBe(7);
    const [head, ...tried] = out.trimEnd().split("\n");
    expect(head).toMatch(new RegExp(`^FAIL executable +\\d\\.\\d\\d s {2}${SEARCHED}$`));
    expect(tried.length).toBeGreaterThan(3);
    expect(new Set(tried).size).toBe(tried.length);
    for (const line of tried) expect(line).toMatch(/^ +tried \/.*droid \(.*\)$/);
    expect(last).toBe(`${SEARCHED}; try: ${ADVICE}`);
  });
  it("the doctor gives programs the places as a list", async () => {
    const { out } = await run(["doctor", "droid", "-o", "events"], where());
    expect(events(out)[0]).toMatchObject({
      type: "doctor",
      step: "executable",
      ok: false,
      detail: SEARCHED,
      tried: expect.arrayContaining([`${place.home}/droid (PATH)`]),
    });
  });
  it("the adapter's own doctor ends with 1, and names the same way to get it", async () => {
    const env = { HOME: place.home, PATH: place.home };
    const doctor = promisify(execFile)(process.execPath, [adapter.file, "--doctor"], { env });
    await expect(doctor).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`Install Droid (${INSTALL})`),
    });
  });
});
