// The baseline: only split and JSON.parse of the same bytes.
import { report, start } from "../measure.mjs";

const [name, expected, ...args] = process.argv.slice(2);
const child = start(name, expected, ...args);
let open = "";
let seen = 0;
let last;
child.stdout.setEncoding("utf8");
child.stdout.on("data", (chunk) => {
  const lines = (open + chunk).split("\n");
  open = lines.pop();
  for (const line of lines) {
    last = JSON.parse(line);
    seen++;
  }
});
child.on("close", () => report({ seen, last: typeof last }));
