#!/usr/bin/env node
// The library and the commands are reached by dynamic imports only, so that `--version` costs one file.
import { version } from "./version.ts";

if (process.argv[2] === "--version") {
  process.stdout.write(`${version}\n`);
} else {
  const { main } = await import("../adapter/index.ts");
  const code = await main(process.argv.slice(2), version, {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
  });
  process.exitCode = code;
}
