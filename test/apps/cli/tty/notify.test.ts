import { describe, expect, it } from "vitest";
import { notification } from "../../../../src/apps/cli/tty/notify.ts";
import { fakeIo } from "../support/io.ts";

const LONG = { agent: "droid", durationMs: 31_000 };
const ON = { notifications: true };
const osc9 = "\u001b]9;droid has finished after 31 s\u0007";
const osc777 = (agent: string) =>
  `\u001b]777;notify;Dragoman;${agent} has finished after 31 s\u001b\\`;

describe("the notification after a long turn", () => {
  it.each([
    ["is off by default", {}, {}, true, LONG, ""],
    ["is off if the settings say so", {}, { notifications: false }, true, LONG, ""],
    ["is a bell", {}, ON, true, LONG, "\u0007"],
    ["needs a turn of 30 seconds", {}, ON, true, { ...LONG, durationMs: 29_999 }, ""],
    ["needs a terminal", {}, ON, false, LONG, ""],
    ["needs a terminal that is not dumb", { TERM: "dumb" }, ON, true, LONG, ""],
    ["is a message in iTerm", { TERM_PROGRAM: "iTerm.app" }, ON, true, LONG, osc9],
    ["is a message in kitty", { TERM: "xterm-kitty" }, ON, true, LONG, osc9],
    ["is a message in foot", { TERM: "foot" }, ON, true, LONG, osc777("droid")],
    ["is a bell in tmux", { TMUX: "x", TERM_PROGRAM: "iTerm.app" }, ON, true, LONG, "\u0007"],
    ["is safe", { TERM: "foot" }, ON, true, { ...LONG, agent: "a;\u001bb" }, osc777("a,␛b")],
  ])("%s", (_what, env, preferences, stderrTty, turn, sequence) => {
    const run = { io: fakeIo({ env, stderrTty }), preferences };
    expect(notification(run, turn)).toBe(sequence);
  });
});
