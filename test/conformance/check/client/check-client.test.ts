import { expect, it } from "vitest";
import { clientRig, notPassed } from "./rig.ts";

const rig = clientRig();
const LIMIT_MS = 240_000;
/** A failure of one of these clients counts only if it can be repeated, as in a real run. */
const WHOLE = { repeats: true, floorMs: 3000, jobs: 6 } as const;

it.each([1, 2] as const)(
  "a client made with the library keeps every rule of version %i",
  async (protocol) => {
    const report = await rig.library({ ...WHOLE, protocol });
    expect(notPassed(report)).toEqual([]);
    expect(report.subject).toMatchObject({ side: "client", name: "dragoman-library" });
    for (const { evidence } of report.results) expect(evidence).not.toBe("");
  },
  LIMIT_MS,
);

it.each([
  [1, ["DRC-RPC-03", "DRC-TERM-02", "DRC-TERM-03", "DRC-TERM-06", "DRC-FS-07", "DRC-PERM-05"]],
  [2, ["DRC2-PRM-01", "DRC2-UPD-01"]],
] as const)(
  "a client of version %i that sends several prompts gets each script once",
  async (protocol, ids) => {
    const { results } = await rig.talkative({ protocol, ids });
    for (const id of ids)
      expect(results.find((one) => one.id === id)).toMatchObject({ id, status: "passed" });
  },
  LIMIT_MS,
);

it("reports the requirements that were left out as skipped", async () => {
  const { results, summary } = await rig.defect("none", { ids: ["DRC-INIT-02"] });
  expect(summary).toMatchObject({ passed: 1, skipped: results.length - 1 });
});

it("reports every requirement as untested if the client does not start the agent", async () => {
  const { results, summary } = await rig.nothing();
  expect(summary).toMatchObject({ ended: "cannot start", untested: results.length });
  expect(results[0]?.reason).toContain("did not start the agent");
});

it("lets the text of a prompt choose the cases, for clients that a person drives", async () => {
  const { results, summary } = await rig.prompted("please check DRC-RPC-01 and drc-perm");
  const passed = results.filter(({ status }) => status === "passed").map(({ id }) => id);
  const same = ["DRC-RPC-01", "DRC-RPC-02", "DRC-RPC-03", "DRC-PERM-01"];
  expect(passed.toSorted()).toEqual([...same, "DRC-FRAME-01"].toSorted());
  expect(results.find(({ id }) => id === "DRC-PERM-04")?.reason).toContain("needs a driver");
  expect(results.find(({ id }) => id === "DRC-INIT-01")?.reason).toBe("no prompt named it");
  expect(summary.failed).toBe(0);
});

it("rejudges a requirement if another prompt names it", async () => {
  const ids = ["DRC-RPC-03", "DRC-TERM-03", "DRC-FS-07"];
  const { results } = await rig.prompted(ids.join(" "), 2);
  for (const id of ids)
    expect(results.find((one) => one.id === id)).toMatchObject({ id, status: "passed" });
});

it("shows the exchange that decides, or else the last frames and the error on stderr", async () => {
  const counted = await rig.defect("counts-from-zero", { ids: ["DRC-FS-03"] });
  const window = counted.results.find(({ id }) => id === "DRC-FS-03")?.frames ?? [];
  expect(window.map(({ direction }) => direction)).toEqual(["out", "in"]);
  expect(window[0]?.line).toContain('"fs/read_text_file"');
  const broken = await rig.defect("unknown-update-fatal", { ids: ["DRC-UPD-01"] });
  const update = broken.results.find(({ id }) => id === "DRC-UPD-01");
  expect(update?.evidence).toContain("Error: unknown update");
  expect(update?.frames).toHaveLength(4);
});
