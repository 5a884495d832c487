import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Screen } from "../../../../../src/apps/cli/render/terminal/screen.ts";
import { fakeIo } from "../../support/io.ts";

describe("a spinner on a terminal", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** A screen with a waiting spinner. `drawn` counts the frames that it draws in the next second. */
  function waiting(stdoutTty = true) {
    const io = fakeIo({ stdoutTty, stderrTty: true });
    const screen = new Screen(io, { spinner: true, onClosed: () => {} });
    screen.status("waiting");
    const drawn = (): number => {
      io.err.text = "";
      vi.advanceTimersByTime(1000);
      return io.err.text.match(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] waiting/g)?.length ?? 0;
    };
    return { io, screen, drawn };
  }

  it("spins while nothing else is written", () => {
    const { drawn } = waiting();
    expect(drawn()).toBeGreaterThan(1);
  });

  it("does not draw on a line that holds the beginning of an answer", () => {
    const { screen, drawn, io } = waiting();
    drawn();
    screen.answer("Once upon");
    expect(drawn()).toBe(0);
    // The sequence that it redraws with would erase the line.
    expect(io.err.text).not.toContain("\u001b[K");
    screen.answer(" a time\n");
    expect(drawn()).toBeGreaterThan(1);
  });

  it("keeps spinning if the answer goes to another output", () => {
    const { screen, drawn } = waiting(false);
    screen.answer("Once upon");
    expect(drawn()).toBeGreaterThan(1);
  });

  it("does not draw on an unfinished thought, and comes back after it", () => {
    const { screen, drawn } = waiting();
    screen.printPiece("let me");
    expect(drawn()).toBe(0);
    screen.printPiece(" see\n");
    expect(drawn()).toBeGreaterThan(1);
  });

  it("stops during a question, and comes back after it", () => {
    const { screen, drawn } = waiting();
    const release = screen.hold();
    screen.status("waiting");
    expect(drawn()).toBe(0);
    release();
    expect(drawn()).toBeGreaterThan(1);
  });

  it.each([
    ["a".repeat(200), 76],
    ["漢".repeat(200), 38],
  ])("cuts its label to one line: %s", (label, characters) => {
    const { io, screen } = waiting();
    screen.status(label);
    vi.advanceTimersByTime(250);
    const shown = io.err.text.split("\u001b[K").at(-1)?.slice(2) ?? "";
    expect(shown.endsWith("…")).toBe(true);
    expect(shown).toHaveLength(characters);
  });

  it("stays off once the output is finished", () => {
    const { screen, drawn } = waiting();
    screen.finish();
    screen.printLine("the end");
    expect(drawn()).toBe(0);
  });
});

describe("the answer and the story", () => {
  it("in one file: the story starts on its own line, and nothing is added at the end", () => {
    const io = fakeIo({ oneOutput: true });
    const screen = new Screen(io, { spinner: false, onClosed: () => {} });
    screen.answer("Once upon");
    screen.printLine("[tool] look");
    expect(io.err.text).toBe("\n[tool] look\n");
    screen.answer(" a time\n");
    screen.printLine("[tool] see");
    screen.answer("The end.");
    screen.dispose();
    expect(io.err.text).toBe("\n[tool] look\n[tool] see\n");
    expect(io.out.text).toBe("Once upon a time\nThe end.");
  });

  it("in two files: neither changes the other", () => {
    const io = fakeIo();
    const screen = new Screen(io, { spinner: false, onClosed: () => {} });
    screen.answer("Once upon");
    screen.printLine("[tool] look");
    expect(io.err.text).toBe("[tool] look\n");
    screen.endAnswer();
    screen.endAnswer();
    expect(io.out.text).toBe("Once upon\n");
  });
});

it("leaves no listener behind when it has waited for a slow reader", async () => {
  const io = fakeIo();
  const { stream } = io.stdout;
  const screen = new Screen(io, { spinner: false, onClosed: () => {} });
  const count = (): number => stream.listenerCount("drain") + stream.listenerCount("close");
  const before = count();
  for (let n = 0; n < 20; n++) {
    screen.answer("x".repeat(1_000_000));
    vi.spyOn(stream, "writableNeedDrain", "get").mockReturnValueOnce(true);
    const drained = screen.drained();
    expect(count()).toBe(before + 2);
    stream.emit("drain");
    await drained;
  }
  expect(count()).toBe(before);
  screen.dispose();
});

it("lets the agent wait once much output waits for the answer to a question", async () => {
  const io = fakeIo();
  const screen = new Screen(io, { spinner: false, onClosed: () => {} });
  const release = screen.hold();
  screen.answer("x".repeat(1024 * 1024));
  await screen.drained();
  screen.answer("y");
  let drained = false;
  const waiting = screen.drained().then(() => (drained = true));
  await new Promise(setImmediate);
  expect([drained, io.out.text]).toEqual([false, ""]);
  release();
  await waiting;
  expect(io.out.text).toHaveLength(1024 * 1024 + 1);
  screen.dispose();
});
