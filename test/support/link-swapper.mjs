/**
 * Swaps entries of a workspace as fast as it can, until its stdin ends: the target of a link (a folder
 * inside or outside the workspace), a folder and a link, a file and a link, a folder and nothing.
 * Arguments: the workspace and the outside folder.
 */
import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [ws, outside] = process.argv.slice(2);
let stop = false;
let rounds = 0;
process.stdin.on("end", () => {
  stop = true;
});
process.stdin.resume();

const at = (...names) => join(ws, ...names);
const attempt = (work) => {
  try {
    work();
  } catch {
    // The process under test changed the entry first.
  }
};
const relink = (target, name) => {
  attempt(() => symlinkSync(target, at("swap.tmp")));
  attempt(() => renameSync(at("swap.tmp"), at(name)));
  // The temporary link is left over if a folder was in the way.
  attempt(() => unlinkSync(at("swap.tmp")));
};

function round() {
  relink(outside, "link");
  if (rounds % 2 === 0) relink(at("real"), "link");

  attempt(() => renameSync(at("folder"), at("folder.away")));
  relink(outside, "folder");
  attempt(() => unlinkSync(at("folder")));
  attempt(() => renameSync(at("folder.away"), at("folder")));

  relink(join(outside, "file.txt"), "file.txt");
  attempt(() => {
    writeFileSync(at("file.tmp"), "inside");
    renameSync(at("file.tmp"), at("file.txt"));
  });

  attempt(() => rmSync(at("made"), { recursive: true, force: true }));
  relink(outside, "made");
  attempt(() => unlinkSync(at("made")));
  if (rounds % 3 === 0) attempt(() => mkdirSync(at("made")));
}

function turn() {
  for (let i = 0; i < 20; i++) {
    round();
    rounds++;
  }
  if (!stop) setImmediate(turn);
}
round();
process.stdout.write("ready\n");
turn();
