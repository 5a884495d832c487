// @ts-check
// `npm run test:clients`: tests the demo agent and droid-acp with third-party clients, and our client with
// a third-party server. All of them are installed on demand. Writes docs/interop.md if all clients ran and
// passed.
import { step, tool } from "./run.mjs";

const config = ["--root", ".", "--config", "test/real/clients/vitest.config.ts"];
step("clients", [tool.vitest, "run", ...config, ...process.argv.slice(2)]);
const remote = ["--root", ".", "--config", "test/real/remote/vitest.config.ts"];
step("remote servers", [
  tool.vitest,
  "run",
  "--passWithNoTests",
  ...remote,
  ...process.argv.slice(2),
]);
step("formatting docs/interop.md", [tool.oxfmt, "docs/interop.md"]);
