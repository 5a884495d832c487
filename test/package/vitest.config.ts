import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/package/**/*.package.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 60_000,
    // Builds and packs the package.
    hookTimeout: 120_000,
  },
});
