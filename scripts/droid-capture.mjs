// @ts-check
// `npm run droid:capture -- PATH-TO-DROID`: for the next version of Droid. Runs the scenarios that
// were captured with the newest known version against any binary, with a scripted model on
// loopback and a home in the temp folder, writes the transcripts, and says in words what differs.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fromSource } from "./from-source.mjs";
import { parseOrUsage, root, tellFailure } from "./run.mjs";

const usage = `npm run droid:capture -- [options] PATH-TO-DROID

  --out FOLDER       where the transcripts go; a new folder in the temp folder unless told
  --newest VERSION   the known version to compare with; 0.225.2 unless told`;
const { values, positionals } = parseOrUsage(usage, {
  out: { type: "string" },
  newest: { type: "string", default: "0.225.2" },
});
const [executable = ""] = positionals;
const { capture } = await fromSource("test/real/droid/capture.ts");
try {
  await capture({
    executable: resolve(executable),
    transcripts: join(root, "test", "transcripts", "droid"),
    out: resolve(values.out ?? mkdtempSync(join(tmpdir(), "droid-capture-"))),
    newest: values.newest,
    say: console.log,
  });
} catch (error) {
  tellFailure(error);
}
