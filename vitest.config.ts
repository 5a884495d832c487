import { configDefaults, defineConfig } from "vitest/config";

const soak = process.env["DRAGOMAN_SOAK"] === "1";

export default defineConfig({
  test: {
    // Soak files also run in the ordinary pass, with reduced counts (test/support/soak.ts).
    include: [soak ? "test/**/*.soak.test.ts" : "test/**/*.test.ts"],
    // Third-party agents are tested by `npm run test:agents`, third-party clients and servers by
    // `npm run test:clients`, browsers by `npm run test:page`, and clusters of servers by
    // `npm run test:fleet`. Each has its own configuration.
    exclude: [...configDefaults.exclude, "**/*.{agents,clients,fleet,page,remote}.test.ts"],
    passWithNoTests: soak,
    // Downloads the real Droids before the first test, so that no test's time limit includes it.
    globalSetup: ["test/support/droid/setup.ts"],
    // Its ES modules, which the build bundles, name no file endings, so Node cannot load them.
    server: { deps: { inline: ["jsonc-parser"] } },
    // One process per file: many tests start and kill processes, and must not see each other's leftovers.
    pool: "forks",
    isolate: true,
    // Many tests mostly wait for processes. One more worker than the default keeps two cores busy.
    maxWorkers: 2,
    testTimeout: soak ? 1_800_000 : 30_000,
    hookTimeout: 30_000,
    // The runtime inside Droid 0.99.0 (Bun 1.3.10) crashes by itself in about one of a hundred starts,
    // regardless of its input. Only that signal makes a test run again.
    retry: { count: 2, condition: /SIGILL/ },
  },
});
