#!/usr/bin/env node
// Everything else is imported dynamically, so that `--version` loads only this file.
import { version } from "./version.ts";

if (process.argv[2] === "--version") {
  process.stdout.write(`${version}\n`);
} else {
  const { main } = await import("../droid-acp/index.ts");
  const code = await main(process.argv.slice(2), version, {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
  });
  process.exitCode = code;
}
