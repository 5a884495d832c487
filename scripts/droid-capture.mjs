// @ts-check
// `npm run droid:capture -- PATH-TO-DROID`: for the next version of Droid. Runs the scenarios that
// were captured with the newest known version against any binary, with a scripted model on
// loopback and a home in the temp folder, writes the transcripts, and says in words what differs.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { fromSource } from "./from-source.mjs";
import { root } from "./run.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: "string" }, newest: { type: "string", default: "0.225.2" } },
});
const [executable] = positionals;
if (executable === undefined) {
  console.error(`npm run droid:capture -- [--out FOLDER] PATH-TO-DROID`);
  process.exit(2);
}
const { capture } = await fromSource("test/real/droid/capture.ts");
await capture({
  executable: resolve(executable),
  transcripts: join(root, "test", "transcripts", "droid"),
  out: resolve(values.out ?? mkdtempSync(join(tmpdir(), "droid-capture-"))),
  newest: values.newest,
  say: console.log,
});
