import { describe, expect, it } from "vitest";
import { notification } from "../../../../src/apps/cli/tty/notify.ts";
import { fakeIo } from "../support/io.ts";

const LONG = { agent: "droid", durationMs: 31_000 };
const ON = { notifications: true };
const run = (env = {}, preferences: { notifications?: boolean } = ON, stderrTty = true) => ({
  io: fakeIo({ env, stderrTty }),
  preferences,
});

describe("the notification after a long turn", () => {
  it.each([
    ["is off by default", run({}, {}), LONG, ""],
    ["is off if the settings say so", run({}, { notifications: false }), LONG, ""],
    ["is a bell", run(), LONG, "\u0007"],
    ["needs a turn of 30 seconds", run(), { ...LONG, durationMs: 29_999 }, ""],
    ["needs a terminal", run({}, ON, false), LONG, ""],
    ["needs a terminal that is not dumb", run({ TERM: "dumb" }), LONG, ""],
    [
      "is a message in iTerm",
      run({ TERM_PROGRAM: "iTerm.app" }),
      LONG,
      "\u001b]9;droid has finished after 31 s\u0007",
    ],
    [
      "is a message in kitty",
      run({ TERM: "xterm-kitty" }),
      LONG,
      "\u001b]9;droid has finished after 31 s\u0007",
    ],
    [
      "is a message in foot",
      run({ TERM: "foot" }),
      LONG,
      "\u001b]777;notify;Dragoman;droid has finished after 31 s\u001b\\",
    ],
    [
      "is a bell in tmux, in every terminal around it",
      run({ TMUX: "x", TERM_PROGRAM: "iTerm.app" }),
      LONG,
      "\u0007",
    ],
    [
      "is safe",
      run({ TERM: "foot" }),
      { ...LONG, agent: "a;\u001bb" },
      "\u001b]777;notify;Dragoman;a,␛b has finished after 31 s\u001b\\",
    ],
  ])("%s", (_what, given, turn, sequence) => {
    expect(notification(given, turn)).toBe(sequence);
  });
});
