#!/usr/bin/env node
// The library and the commands are reached by dynamic imports only, so that `--version` costs one file.
import { version } from "./version.ts";

if (process.argv[2] === "--version") {
  process.stdout.write(`${version}\n`);
} else {
  process.stderr.write("droid-acp: not built yet\n");
  process.exitCode = 1;
}
