import { describe, expect, it } from "vitest";
import { describeClose } from "../../../../src/transport/wire/channel.ts";
import { LineTooLongError } from "../../../../src/transport/wire/lines/limit.ts";
import {
  openProcess,
  type ProcessOptions,
} from "../../../../src/transport/wire/process/channel.ts";
import { isAlive } from "../../../base/process/alive.ts";

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
      "the process exited with code 3; last lines of stderr:\ncannot log in",
    );
  });

  it("is described without the secrets it wrote to stderr", async () => {
    const channel = await openProcess(sh("echo bad key: api_key=not-needed >&2; exit 1"));
    channel.open(() => {});
    expect(describeClose(await channel.closed)).toBe(
      "the process exited with code 1; last lines of stderr:\nbad key: api_key=[redacted]",
    );
  });

  it("is reported with its signal", async () => {
    const channel = await openProcess(sh("kill -9 $$"));
    channel.open(() => {});
    const reason = await channel.closed;
    expect(reason).toEqual({ kind: "exited", exit: { code: null, signal: "SIGKILL" }, stderr: "" });
    expect(describeClose(reason)).toBe("the process was killed by SIGKILL");
  });

  it("keeps its last 16 KiB of stderr, starting at a complete character", async () => {
    const script =
      'i=0; while [ $i -lt 3000 ]; do printf "€€€€€€€€€€"; i=$((i+1)); done >&2; exit 1';
    const channel = await openProcess(sh(script));
    channel.open(() => {});
    const reason = await channel.closed;
    expect(reason).toMatchObject({ stderr: "€".repeat(Math.floor((16 * 1024) / 3)) });
  });

  it("delivers every line it wrote before, including a last one without a newline", async () => {
    const script = "i=0; while [ $i -lt 1000 ]; do echo $i; i=$((i+1)); done; printf last";
    const channel = await openProcess(sh(script));
    const lines: string[] = [];
    channel.open((line) => lines.push(line));
    const atClose = channel.closed.then(() => lines.length);
    expect(await atClose).toBe(1001);
    expect(lines).toEqual([...Array.from({ length: 1000 }, (_, n) => String(n)), "last"]);
  });

  it("keeps its lines while reading is paused, and reports its end after them", async () => {
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
    // A slow consumer, which takes much longer than the process took to end.
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

  it("keeps its lines for a consumer that blocks longer than the last-resort timeouts", async () => {
    // There are several chunks, and the consumer takes over a second for each of the first two.
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

  it("is reported even if it read and wrote nothing", async () => {
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
    { what: "keeps running", script: "printf '%0100d' 1; exec sleep 1000" },
    { what: "has already exited", script: "printf '%0100d' 1" },
  ])(
    "fails the connection with an error that names the limit when the process $what",
    async ({ script }) => {
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
    },
  );
});

describe("a process that closes a pipe but keeps running", () => {
  it.each([
    { pipe: "stdout", script: "exec >&-; while :; do sleep 1; done" },
    { pipe: "stdin", script: "exec <&-; echo ready; while :; do sleep 1; done" },
  ])("is ended, and the error names $pipe", async ({ pipe, script }) => {
    const channel = await openProcess(sh(script));
    channel.open(() => void channel.send("are you there?"));
    const reason = await channel.closed;
    expect(describeClose(reason)).toBe(
      `the connection failed: the process closed its ${pipe} but kept running`,
    );
    await channel.close();
    expect(isAlive(channel.pid)).toBe(false);
  });
});

describe("stderr", () => {
  it("is reported as it arrives, with complete characters", async () => {
    const seen: string[] = [];
    // Writes the bytes of one character in two writes, and waits for a line in between.
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

  it("without a listener never blocks the process", async () => {
    const channel = await openProcess(sh("head -c 3000000 /dev/zero >&2; echo done"));
    const line = new Promise((resolve) => channel.open(resolve));
    expect(await line).toBe("done");
    await channel.close();
  });
});
