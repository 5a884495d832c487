import { describe, expect, it } from "vitest";
import {
  FrameRows,
  type FrameRowsOptions,
} from "../../../../../src/apps/inspector/page/views/frame-rows.ts";
import { Script } from "../../sessions.ts";

const script = new Script().open().prompt(2).say("a").say("b").say("c").wait(50).done(2);
const { model } = script;
const ALL: FrameRowsOptions = {
  matches: undefined,
  isFolded: true,
  expanded: new Set(),
  range: undefined,
};

function rowsOf(options: Partial<FrameRowsOptions>): readonly (readonly [number, number])[] {
  const rows = new FrameRows();
  rows.extend(model, { ...ALL, ...options });
  return Array.from({ length: rows.length }, (_, index) => {
    const { row = -1, count = 0 } = rows.at(index) ?? {};
    return [row, count];
  });
}

describe("the rows of a list of frames", () => {
  it("fold runs of chunks", () => {
    expect(rowsOf({})).toEqual([
      [0, 1],
      [1, 1],
      [2, 1],
      [3, 1],
      [4, 1],
      [5, 3],
      [8, 1],
    ]);
  });

  it("show chunks one by one, all or those of one message", () => {
    expect(rowsOf({ isFolded: false })).toHaveLength(9);
    expect(rowsOf({ expanded: new Set([model.frames.item(5)]) })).toHaveLength(9);
  });

  it("leave out frames that do not pass the filter or the time", () => {
    expect(rowsOf({ matches: [0, 6, 7] })).toEqual([
      [0, 1],
      [6, 2],
    ]);
    expect(rowsOf({ range: [40, 60] })).toEqual([[8, 1]]);
  });

  it("find the row of a frame, inside a run too", () => {
    const rows = new FrameRows();
    rows.extend(model, ALL);
    expect([rows.indexOf(0), rows.indexOf(6), rows.indexOf(8), rows.indexOf(99)]).toEqual([
      0, 5, 6, -1,
    ]);
  });
});
