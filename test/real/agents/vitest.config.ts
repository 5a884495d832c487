import { defineConfig } from "vitest/config";
import { matrixReporter } from "./matrix-reporter.ts";

export default defineConfig({
  test: {
    include: ["test/real/agents/**/*.agents.test.ts"],
    globalSetup: ["test/real/agents/setup.ts"],
    reporters: ["verbose", matrixReporter],
    // One agent at a time: some use almost a gigabyte of memory, and starting them takes most of the time.
    fileParallelism: false,
    maxConcurrency: 3,
    pool: "forks",
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
