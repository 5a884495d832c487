import { configDefaults, defineConfig } from "vitest/config";

const soak = process.env["DRAGOMAN_SOAK"] === "1";

export default defineConfig({
  test: {
    // Soak files also run in the ordinary pass, with reduced counts (test/support/soak.ts).
    include: [soak ? "test/**/*.soak.test.ts" : "test/**/*.test.ts"],
    // Agents of other makers are for `npm run test:agents`, with a configuration of their own.
    exclude: [...configDefaults.exclude, "**/*.agents.test.ts"],
    passWithNoTests: soak,
    // The real Droids are downloaded before the first test, outside any test's time limit.
    globalSetup: ["test/support/droid/setup.ts"],
    // A process per file: many tests start and kill processes, and none may see another's leftovers.
    pool: "forks",
    isolate: true,
    // Many tests wait for processes rather than compute: one more than the default keeps two cores busy.
    maxWorkers: 2,
    testTimeout: soak ? 1_800_000 : 30_000,
    hookTimeout: 30_000,
    // The runtime inside Droid 0.99.0 (Bun 1.3.10) crashes by itself in about one start of a hundred,
    // whatever it is told. That signal, and nothing else, has a test begin again.
    retry: { count: 2, condition: /SIGILL/ },
  },
});
