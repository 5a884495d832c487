import { configDefaults, defineConfig } from "vitest/config";

const soak = process.env["DRAGOMAN_SOAK"] === "1";

// These need a process of their own: they measure the memory of processes, start large programs of others,
// or replace modules, which must not be loaded before. Linux counts the memory of the process that starts
// another one towards the peak of the new one.
const isolated = [
  "test/**/*.soak.test.ts",
  "test/adapter/turn/files.swap.test.ts",
  "test/agent/agent.stdio.test.ts",
  "test/real/**/*.test.ts",
  "test/wire/process/spawn.test.ts",
];
// Third-party agents are tested by `npm run test:agents`, third-party clients and servers by
// `npm run test:clients`, browsers by `npm run test:page`, bundlers and compilers by
// `npm run test:package`, clusters of servers by `npm run test:fleet`, and the requirements of `dragoman
// check` on agents and clients with a defect by `npm run test:mutants`. Each has its own configuration.
const exclude = [
  ...configDefaults.exclude,
  "**/*.{agents,clients,fleet,mutants,package,page,remote}.test.ts",
];

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        // Soak files also run in the ordinary pass, with reduced counts (test/support/soak.ts).
        test: {
          name: "isolated",
          include: soak ? ["test/**/*.soak.test.ts"] : isolated,
          exclude,
          isolate: true,
        },
      },
      {
        extends: true,
        // One process for many files, which spares each of them the start and the loading of the source.
        test: {
          name: "shared",
          include: soak ? [] : ["test/**/*.test.ts"],
          exclude: [...exclude, ...isolated],
          isolate: false,
        },
      },
    ],
    passWithNoTests: soak,
    // Downloads the real Droids before the first test, so that no test's time limit includes it. The
    // other configurations have only the second, unless they start Node programs of others.
    globalSetup: ["test/support/droid/setup.ts", "test/support/file-handles.ts"],
    // Its ES modules, which the build bundles, name no file endings, so Node cannot load them.
    server: { deps: { inline: ["jsonc-parser"] } },
    pool: "forks",
    // Many tests mostly wait for processes. One more worker than the default keeps two cores busy.
    maxWorkers: 2,
    // Tests that run at the same time in one file mostly wait, for time limits that are reached on purpose.
    // Those of the soak run do not.
    maxConcurrency: soak ? 3 : 12,
    testTimeout: soak ? 1_800_000 : 30_000,
    hookTimeout: 30_000,
    // The runtime inside Droid 0.99.0 (Bun 1.3.10) crashes by itself in about one of a hundred starts,
    // regardless of its input. Only that signal makes a test run again.
    retry: { count: 2, condition: /SIGILL/ },
  },
});
