import { configDefaults, defineConfig, type ViteUserConfig } from "vitest/config";

type Options = NonNullable<ViteUserConfig["test"]>;

/** Fails a run in which the garbage collector closed a file handle. */
const fileHandles = "test/support/file-handles.ts";
/** Downloads the real Droids before the first test, so that no test's time limit includes it. */
const droids = "test/support/droid/setup.ts";

// The runtime inside Droid 0.99.0 (Bun 1.3.10) crashes by itself in about one of a hundred starts,
// regardless of its input. Only that signal makes a test run again.
const retry = { count: 2, condition: /SIGILL/ };

// These need a process of their own: they measure the memory of processes, start large programs of others,
// or replace modules, which must not be loaded before. Linux counts the memory of the process that starts
// another one towards the peak of the new one.
const isolated = [
  "test/**/*.soak.test.ts",
  "test/apps/droid-acp/turn/files.swap.test.ts",
  "test/agent/agent.stdio.test.ts",
  "test/real/**/*.test.ts",
  "test/base/process/spawn.test.ts",
];
/** Files that only suites run. */
const exclude = [
  ...configDefaults.exclude,
  "**/*.{agents,clients,fleet,mutants,package,page,remote}.test.ts",
];

/** `npm test`. The suites that `npm run test:all` names are below. */
const ordinary: Options = {
  projects: [
    {
      extends: true,
      test: { name: "isolated", include: isolated, exclude, isolate: true },
    },
    {
      extends: true,
      // One process for many files, which spares each of them the start and the loading of the source.
      test: {
        name: "shared",
        include: ["test/**/*.test.ts"],
        exclude: [...exclude, ...isolated],
        isolate: false,
      },
    },
  ],
  globalSetup: [droids, fileHandles],
  // Tests that run at the same time in one file mostly wait, for time limits that are reached on purpose.
  maxConcurrency: 12,
  retry,
};

/** The suites of scripts/test-all.mjs, which names one of them in DRAGOMAN_SUITE. */
const suites: Readonly<Record<string, Options>> = {
  mutants: {
    include: ["test/conformance/check/**/*.{hostile,mutants}.test.ts"],
    globalSetup: [fileHandles],
    maxConcurrency: 12,
  },
  fleet: {
    include: ["test/**/*.fleet.test.ts"],
    globalSetup: [fileHandles],
    // Each file starts a cluster. Two at a time would only compete for the processors.
    maxWorkers: 1,
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
  package: {
    include: ["test/package/**/*.package.test.ts"],
    globalSetup: ["test/package/setup.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
  page: {
    include: ["test/page/**/*.page.test.ts"],
    globalSetup: ["test/package/setup.ts", fileHandles],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
  agents: {
    include: ["test/real/agents/**/*.agents.test.ts"],
    globalSetup: ["test/real/agents/setup.ts"],
    reporters: ["verbose", "./test/real/agents/matrix-reporter.ts"],
    // One agent at a time: some use almost a gigabyte of memory, and starting them takes most of the time.
    fileParallelism: false,
    maxConcurrency: 3,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
  clients: {
    include: ["test/real/clients/**/*.clients.test.ts", "test/real/remote/**/*.remote.test.ts"],
    globalSetup: ["test/real/clients/setup.ts"],
    reporters: ["verbose", "./test/real/clients/matrix-reporter.ts"],
    // Checks of clients mostly wait for limits, each with several cases at the same time.
    maxConcurrency: 2,
    testTimeout: 120_000,
    hookTimeout: 300_000,
  },
  droid: {
    include: ["test/droid/**/*.test.ts", "test/real/{droid,droid-acp}/**/*.test.ts"],
    globalSetup: [droids, fileHandles],
    retry,
  },
  soak: {
    include: ["test/**/*.soak.test.ts"],
    globalSetup: [droids, fileHandles],
    maxConcurrency: 3,
    testTimeout: 1_800_000,
    retry,
  },
};

const suite = process.env["DRAGOMAN_SUITE"];
const options = suite === undefined ? ordinary : suites[suite];
if (options === undefined) throw new Error(`there is no suite ${suite}`);

export default defineConfig({
  test: {
    pool: "forks",
    // Its ES modules, which the build bundles, name no file endings, so Node cannot load them.
    server: { deps: { inline: ["jsonc-parser"] } },
    // Many tests mostly wait for processes. One more worker than the default keeps two cores busy.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // A poll ends with the event. Its limit only has to be beyond what a busy machine needs.
    expect: { poll: { timeout: 10_000 } },
    ...options,
  },
});
