// @ts-check
// `npm test`: every check that a change must pass, cheapest first. Arguments go to the last step, so
// `npm test -- test/transport/wire` runs the checks and the tests of one folder.
import { step, tool } from "./run.mjs";

step("types", [tool.tsc, "--noEmit"]);
step("types of the page", [tool.tsc, "--noEmit", "-p", "src/apps/inspector/page"]);
step("lint", [tool.oxlint, "--deny-warnings", "--report-unused-disable-directives"]);
step("format", [tool.oxfmt, "--check"]);
step("unused code", [tool.knip, "--no-progress"]);
step("tests", [tool.vitest, "run", ...process.argv.slice(2)]);
