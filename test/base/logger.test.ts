import { describe, expect, it } from "vitest";
import { log, type Logger, type LogLevel } from "../../src/base/logger.ts";

describe("logging", () => {
  it.each<LogLevel>(["debug", "info", "warn", "error"])(
    "reaches the logger at level %s",
    (level) => {
      const seen: unknown[] = [];
      const logger: Logger = { [level]: (...args: unknown[]) => seen.push(...args) };
      log(logger, level, "message", { a: 1 });
      expect(seen).toEqual(["message", { a: 1 }]);
    },
  );

  it("keeps the logger's own `this`", () => {
    const logger = {
      seen: 0,
      warn(): void {
        this.seen++;
      },
    };
    log(logger, "warn", "x");
    expect(logger.seen).toBe(1);
  });

  it("does nothing without a logger, or if the logger lacks the level", () => {
    expect(() => log(undefined, "warn", "x")).not.toThrow();
    expect(() => log({}, "warn", "x")).not.toThrow();
  });

  it("ignores a logger that throws or rejects", async () => {
    log(
      {
        warn: () => {
          throw new Error("logger");
        },
      },
      "warn",
      "x",
    );
    log({ warn: () => Promise.reject(new Error("logger")) as never }, "warn", "x");
    // Node reports unhandled rejections before the next turn, which would fail the run.
    await new Promise(setImmediate);
  });
});
