import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/real/remote/**/*.remote.test.ts"],
    globalSetup: ["test/real/remote/setup.ts"],
    reporters: ["verbose"],
    pool: "forks",
    testTimeout: 120_000,
    hookTimeout: 300_000,
  },
});
