import { defineConfig } from "vitest/config";
import { matrixReporter } from "./matrix-reporter.ts";

export default defineConfig({
  test: {
    include: ["test/real/clients/**/*.clients.test.ts"],
    globalSetup: ["test/real/clients/setup.ts"],
    reporters: ["verbose", matrixReporter],
    pool: "forks",
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
