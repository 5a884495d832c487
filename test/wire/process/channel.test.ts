import { describe, expect, it } from "vitest";
import { describeClose } from "../../../src/wire/channel.ts";
import { LineTooLongError } from "../../../src/wire/lines/splitter.ts";
import { openProcess, type ProcessOptions } from "../../../src/wire/process/channel.ts";
import { isAlive } from "./alive.ts";

const sh = (script: string, options: Partial<ProcessOptions> = {}): ProcessOptions => ({
  command: "sh",
  args: ["-c", script],
  stages: { eofMs: 100, termMs: 100 },
  ...options,
});

describe("a process that ends by itself", () => {
  it("is reported with its exit code and stderr", async () => {
    const channel = await openProcess(sh("echo cannot log in >&2; exit 3"));
    channel.open(() => {});
    const reason = await channel.closed;
    expect(reason).toEqual({
      kind: "exited",
      exit: { code: 3, signal: null },
      stderr: "cannot log in\n",
    });
    expect(describeClose(reason)).toBe(
      "the process exited with code 3; its last words on stderr:\ncannot log in",
    );
  });

  it("is described without the secrets it wrote to stderr", async () => {
    const channel = await openProcess(sh("echo bad key: api_key=not-needed >&2; exit 1"));
    channel.open(() => {});
    expect(describeClose(await channel.closed)).toBe(
      "the process exited with code 1; its last words on stderr:\nbad key: api_key=[redacted]",
    );
  });

  it("is reported with its signal", async () => {
    const channel = await openProcess(sh("kill -9 $$"));
    channel.open(() => {});
    const reason = await channel.closed;
    expect(reason).toEqual({ kind: "exited", exit: { code: null, signal: "SIGKILL" }, stderr: "" });
    expect(describeClose(reason)).toBe("the process was ended by SIGKILL");
  });

  it("has its last 16 KiB of stderr kept, from a whole character on", async () => {
    const script =
      'i=0; while [ $i -lt 3000 ]; do printf "€€€€€€€€€€"; i=$((i+1)); done >&2; exit 1';
    const channel = await openProcess(sh(script));
    channel.open(() => {});
    const reason = await channel.closed;
    expect(reason).toMatchObject({ stderr: "€".repeat(Math.floor((16 * 1024) / 3)) });
  });

  it("has every line delivered that it wrote right before, the last without a newline too", async () => {
    const script = "i=0; while [ $i -lt 1000 ]; do echo $i; i=$((i+1)); done; printf last";
    const channel = await openProcess(sh(script));
    const lines: string[] = [];
    channel.open((line) => lines.push(line));
    const atClose = channel.closed.then(() => lines.length);
    expect(await atClose).toBe(1001);
    expect(lines).toEqual([...Array.from({ length: 1000 }, (_, n) => String(n)), "last"]);
  });

  it("has its lines kept while reading is paused, and its end is told after them", async () => {
    const channel = await openProcess(sh("seq 1 5000; exit 7"));
    const lines: string[] = [];
    let more = (): void => {};
    channel.open((line) => {
      lines.push(line);
      channel.pause();
      more();
    });
    while (isAlive(channel.pid)) {
      channel.resume();
      await new Promise(setImmediate);
    }
    channel.pause();
    let isClosed = false;
    void channel.closed.then(() => {
      isClosed = true;
    });
    // A consumer that takes its time: much longer than the end of the process took.
    while (lines.length < 5000) {
      expect(isClosed).toBe(false);
      const next = new Promise<void>((resolve) => {
        more = resolve;
      });
      channel.resume();
      await next;
      await new Promise(setImmediate);
    }
    channel.resume();
    expect(await channel.closed).toMatchObject({ kind: "exited", exit: { code: 7 } });
    expect(lines).toEqual(Array.from({ length: 5000 }, (_, n) => String(n + 1)));
  });

  it("has its lines kept for a consumer that is busy for longer than any last resort", async () => {
    // More than one chunk, and the first two take over a second each to be handled.
    const script = 'i=0; while [ $i -lt 20 ]; do printf "%08192d\\n" $i; i=$((i+1)); done';
    const channel = await openProcess(sh(script));
    const lines: string[] = [];
    channel.open((line) => {
      lines.push(line);
      if (lines.length !== 1 && lines.length !== 9) return;
      const before = Date.now();
      while (Date.now() - before < 1050);
    });
    expect((await channel.closed).kind).toBe("exited");
    expect(lines.map(Number)).toEqual(Array.from({ length: 20 }, (_, n) => n));
  });

  it("is reported also when nobody ever wrote to it and it had no output", async () => {
    const channel = await openProcess(sh("exit 0"));
    channel.open(() => {});
    expect(await channel.closed).toEqual({
      kind: "exited",
      exit: { code: 0, signal: null },
      stderr: "",
    });
    expect(await channel.close()).toEqual(await channel.closed);
  });
});

describe("a line that is too long", () => {
  it.each([
    { what: "goes on running", script: "printf '%0100d' 1; exec sleep 1000" },
    { what: "is gone already", script: "printf '%0100d' 1" },
  ])("fails the connection with the limit, when the process $what", async ({ script }) => {
    const channel = await openProcess(sh(script, { maxLineBytes: 64 }));
    if (!script.includes("sleep")) while (isAlive(channel.pid)) await new Promise(setImmediate);
    channel.open(() => {});
    const reason = await channel.closed;
    expect(reason).toMatchObject({
      kind: "failed",
      error: { name: "LineTooLongError", limit: 64 },
    });
    expect(reason.kind === "failed" && reason.error).toBeInstanceOf(LineTooLongError);
    expect(describeClose(reason)).toContain("64 bytes");
    await channel.close();
    expect(isAlive(channel.pid)).toBe(false);
  });
});

describe("a process that closes a pipe and goes on running", () => {
  it.each([
    { pipe: "stdout", script: "exec >&-; while :; do sleep 1; done" },
    { pipe: "stdin", script: "exec <&-; echo ready; while :; do sleep 1; done" },
  ])("is ended, and $pipe named", async ({ pipe, script }) => {
    const channel = await openProcess(sh(script));
    channel.open(() => void channel.send("do you hear me?"));
    const reason = await channel.closed;
    expect(describeClose(reason)).toBe(
      `the connection failed: the process closed its ${pipe} but went on running`,
    );
    await channel.close();
    expect(isAlive(channel.pid)).toBe(false);
  });
});

describe("stderr", () => {
  it("is shown as it comes, its characters whole", async () => {
    const seen: string[] = [];
    // The bytes of one character in two writes, with the wait for an answer between them.
    const script = "printf 'a\\303' >&2; echo half; read -r go; printf '\\251b' >&2";
    const channel = await openProcess(sh(script, { onStderr: (text) => seen.push(text) }));
    channel.open(() => {
      const waitForHalf = (): void => {
        if (seen.length === 0) setImmediate(waitForHalf);
        else void channel.send("go");
      };
      waitForHalf();
    });
    expect(await channel.closed).toMatchObject({ stderr: "aéb" });
    expect(seen.join("")).toBe("aéb");
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("listener");
      },
    ],
    ["rejects", () => Promise.reject(new Error("listener"))],
  ] as const)("may have a listener that %s", async (_, listener) => {
    const onStderr: () => unknown = listener;
    const channel = await openProcess(sh("echo x >&2; echo fine", { onStderr }));
    const line = new Promise((resolve) => channel.open(resolve));
    expect(await line).toBe("fine");
    expect(await channel.closed).toMatchObject({ kind: "exited", stderr: "x\n" });
  });

  it("that nobody reads never blocks the process", async () => {
    const channel = await openProcess(sh("head -c 3000000 /dev/zero >&2; echo done"));
    const line = new Promise((resolve) => channel.open(resolve));
    expect(await line).toBe("done");
    await channel.close();
  });
});
