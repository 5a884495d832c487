import { describe, expect, it } from "vitest";
import { Progress } from "../../../../../src/apps/cli/commands/check/terminal.ts";
import { plain } from "../../../../../src/apps/cli/render/terminal/style.ts";
import { resultOf } from "../../../../conformance/check/support/reports.ts";

const [a1, a2, b1] = [
  resultOf({ id: "A-1", area: "a" }),
  resultOf({ id: "A-2", area: "a", status: "failed" }),
  resultOf({ id: "B-1", area: "b" }),
];

function open() {
  const printed: string[] = [];
  const status: (string | undefined)[] = [];
  const screen = {
    answer: (text: string) => void printed.push(text.split("\n", 1)[0]?.trim() ?? ""),
    status: (label: string | undefined) => void status.push(label),
  };
  const progress = new Progress(screen, {
    requirements: [a1, a2, b1],
    shown: ({ status: one }) => (one === "failed" ? "failure" : "passed"),
    view: { columns: undefined, style: plain },
  });
  return { progress, printed, status };
}

describe("progress", () => {
  it("prints an area when it is complete, in the order of the requirements", () => {
    const { progress, printed } = open();
    progress.add(b1);
    progress.add(a1);
    expect(printed).toEqual([]);
    progress.add(a2);
    expect(printed).toEqual(["a", "b"]);
  });
  it("shows how far the run is and how many failures there are", () => {
    const { progress, status } = open();
    progress.add(a1);
    progress.add(a2);
    expect(status).toEqual([
      "checked 0 of 3 requirements",
      "checked 1 of 3 requirements",
      "checked 2 of 3 requirements, 1 failure",
    ]);
  });
  it("prints the rest at the end, and leaves out requirements that were not chosen", () => {
    const { progress, printed, status } = open();
    progress.add(resultOf({ id: "C-1", area: "c" }));
    progress.finish([a1, a2, b1, resultOf({ id: "C-1", area: "c" })]);
    expect(printed).toEqual(["a", "b"]);
    expect(status.at(-1)).toBeUndefined();
  });
  it("prints an area that stays incomplete without what is missing", () => {
    const { progress, printed } = open();
    progress.finish([a1]);
    expect(printed).toEqual(["a"]);
  });
});
