import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.fleet.test.ts"],
    globalSetup: ["test/support/file-handles.ts"],
    pool: "forks",
    // Each file starts a cluster. Two at a time would only compete for the processors.
    maxWorkers: 1,
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});
