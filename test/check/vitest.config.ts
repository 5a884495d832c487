import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/check/**/*.mutants.test.ts"],
    globalSetup: ["test/support/file-handles.ts"],
    pool: "forks",
    maxWorkers: 2,
    // Most of these tests wait for processes.
    maxConcurrency: 12,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
