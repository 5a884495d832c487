// @ts-check
// `npm run test:agents`: tests the library and the command line with third-party agents, which are
// installed on demand. Writes docs/interop.md if all of them ran and passed.
import { step, tool } from "./run.mjs";

const config = ["--root", ".", "--config", "test/real/agents/vitest.config.ts"];
step("agents", [tool.vitest, "run", ...config, ...process.argv.slice(2)]);
step("formatting docs/interop.md", [tool.oxfmt, "docs/interop.md"]);
