// A process that starts itself again every few milliseconds has a new pid at each look.
import { describe, expect, it, onTestFinished } from "vitest";
import { openProcess } from "../../../../src/transport/wire/process/channel.ts";
import { ProcessTree } from "../../../../src/base/process/process-tree.ts";
import { chain } from "../../../base/process/chain.ts";

const CHAINS = [
  { what: "in its group", start: "" },
  { what: "in a new session each time", start: "setsid" },
];

describe.runIf(process.platform === "linux")("a process that starts itself again and again", () => {
  const stages = { eofMs: 50, termMs: 50 };

  it.each(CHAINS)("$what is ended with the channel", async ({ start }) => {
    const { script, ended } = chain(start);
    const channel = await openProcess({ command: "sh", args: ["-c", `${script} cat`], stages });
    await new Promise((resolve) => channel.open(resolve));
    await channel.close();
    await ended;
  });

  it.each(CHAINS)("$what is ended when the leader exits", async ({ start }) => {
    const { script, ended } = chain(start);
    const channel = await openProcess({ command: "sh", args: ["-c", script], stages });
    channel.open(() => {});
    expect(await channel.closed).toMatchObject({ kind: "exited", exit: { code: 0 } });
    await ended;
  });

  it.each(CHAINS)("$what keeps its tree from being empty", async ({ start }) => {
    const { script, ended } = chain(start);
    const line = { command: "sh", args: ["-c", `${script} cat`] };
    const tree = await ProcessTree.start(line, { stdio: ["pipe", "ignore", "inherit"] });
    onTestFinished(() => tree.release());
    tree.child.stdin?.end();
    await new Promise((resolve) => tree.child.once("exit", resolve));
    for (let look = 0; look < 20; look++) expect(await tree.isEmpty()).toBe(false);
    await tree.end(0);
    expect(await tree.isEmpty()).toBe(true);
    await ended;
  });
});
