// What users without Droid see, with the real adapter.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { INSTALL } from "../../../src/apps/droid-acp/access.ts";
import { catalogueEntry } from "../../../src/apps/cli/agents/catalogue.ts";
import { buildBin, type BuiltBin } from "./support/bin.ts";
import { events, run, scratch, type Scratch } from "./support/run.ts";
import { expectRefused } from "./commands/setup.ts";

const SEARCHED = "Droid was not found on the PATH or in the usual folders";
const ADVICE = `install Droid (${INSTALL}), or set its path with DROID_EXECUTABLE or droid-acp --droid`;

describe("without a Droid", () => {
  let adapter: BuiltBin;
  let folders: Scratch;
  beforeAll(async () => {
    [adapter, folders] = await Promise.all([buildBin("droid-acp"), scratch()]);
  });
  afterAll(() => Promise.all([adapter.remove(), folders.remove()]));

  const where = (env: Record<string, string> = {}) => ({
    ...folders,
    env: { PATH: `${folders.home}:${folders.home}`, ...env },
    droidAcp: adapter.file,
  });

  it("the catalogue and the adapter give the same install command", () => {
    expect(catalogueEntry("droid")?.install).toBe(INSTALL);
  });
  it("a prompt fails with one short line and the install command", async () => {
    const { code, out, err } = await run(["-a", "droid", "hi"], where());
    expect({ code, out, err }).toEqual({
      code: 7,
      out: "",
      err: `dragoman: droid cannot start: ${SEARCHED}; try: ${ADVICE}\n`,
    });
  });
  it("a wrong path to Droid is named", async () => {
    await expectRefused(
      run(["-a", "droid", "hi"], where({ DROID_EXECUTABLE: "/no/droid" })),
      "there is no executable file at /no/droid (DROID_EXECUTABLE); try: ",
      7,
    );
  });
  it("the doctor lists every searched path once, and the last line stays short", async () => {
    const { code, out, last } = await run(["doctor", "droid"], where());
    expect(code).toBe(7);
    const [head, ...tried] = out.trimEnd().split("\n");
    expect(head).toMatch(new RegExp(`^FAIL executable +\\d\\.\\d\\d s {2}${SEARCHED}$`));
    expect(tried.length).toBeGreaterThan(3);
    expect(new Set(tried).size).toBe(tried.length);
    for (const line of tried) expect(line).toMatch(/^ +tried \/.*droid \(.*\)$/);
    expect(last).toBe(`${SEARCHED}; try: ${ADVICE}`);
  });
  it("the doctor lists the searched paths in its events", async () => {
    const { out } = await run(["doctor", "droid", "-o", "events"], where());
    expect(events(out)[0]).toMatchObject({
      type: "doctor",
      step: "executable",
      ok: false,
      detail: SEARCHED,
      tried: expect.arrayContaining([`${folders.home}/droid (PATH)`]),
    });
  });
  it("the adapter's own doctor exits with 1 and prints the same install command", async () => {
    const env = { HOME: folders.home, PATH: folders.home };
    const doctor = promisify(execFile)(process.execPath, [adapter.file, "--doctor"], { env });
    await expect(doctor).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`Install Droid (${INSTALL})`),
    });
  });
});
