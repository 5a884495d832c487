// @ts-check
// `npm run test:droid`: the tests of the Droid client, against all the versions of Droid they know.
import { step, tool } from "./run.mjs";

const paths = process.argv.length > 2 ? process.argv.slice(2) : ["test/droid", "test/real/droid"];
step("tests with every Droid", [tool.vitest, "run", ...paths], { env: { DRAGOMAN_DROID: "all" } });
