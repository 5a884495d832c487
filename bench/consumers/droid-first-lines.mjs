// The baseline for listing sessions: reads only the first line of each file.
import { close, closeSync, open, openSync, read, readSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { report } from "../measure.mjs";

const [home, how] = process.argv.slice(2);
const root = join(home, ".factory", "sessions");
const paths = [];
for (const folder of await readdir(root))
  for (const name of await readdir(join(root, folder)))
    if (name.endsWith(".jsonl")) paths.push(join(root, folder, name));

function firstLine(path, buffer) {
  return new Promise((resolve, reject) => {
    open(path, (failed, file) => {
      if (failed) return reject(failed);
      read(file, buffer, 0, buffer.length, 0, (_, count) => {
        const line = buffer.toString("utf8", 0, buffer.subarray(0, count).indexOf(0x0a));
        close(file, () => resolve(line));
      });
    });
  });
}

function firstLineAtOnce(path, buffer) {
  const file = openSync(path);
  const count = readSync(file, buffer, 0, buffer.length, 0);
  closeSync(file);
  return buffer.toString("utf8", 0, buffer.subarray(0, count).indexOf(0x0a));
}

let seen = 0;
let next = 0;
async function worker() {
  const buffer = Buffer.allocUnsafe(4096);
  while (next < paths.length) if ((await firstLine(paths[next++], buffer)) !== "") seen++;
}
if (how === "sync") {
  const buffer = Buffer.allocUnsafe(4096);
  for (const path of paths) if (firstLineAtOnce(path, buffer) !== "") seen++;
} else await Promise.all(Array.from({ length: 16 }, worker));
report({ seen });
