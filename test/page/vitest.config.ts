import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/page/**/*.page.test.ts"],
    globalSetup: ["test/support/file-handles.ts"],
    pool: "forks",
    testTimeout: 60_000,
    // Builds and packs the package, bundles the page and starts the browser.
    hookTimeout: 120_000,
  },
});
