#!/usr/bin/env node
// The library and the commands are reached by dynamic imports only, so that `--version` costs one file.
import { fileURLToPath } from "node:url";
import { version } from "./version.ts";

const argv = process.argv.slice(2);

switch (argv[0]) {
  case "--version":
  case "-V":
    process.stdout.write(`${version}\n`);
    break;
  case "demo-agent": {
    const { runDemoAgent } = await import("../demo/index.ts");
    await runDemoAgent(version);
    break;
  }
  // What npm's `npx dragoman` can reach: it runs only the command of the package's own name.
  case "droid-acp": {
    const { main } = await import("../adapter/index.ts");
    process.exitCode = await main(argv.slice(1), version, {
      out: (text) => void process.stdout.write(text),
      err: (text) => void process.stderr.write(text),
    });
    break;
  }
  default:
    await runCommandLine();
}

async function runCommandLine(): Promise<void> {
  const { main, nodeIo, outputsAreOne } = await import("../cli/index.ts");
  const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
  const bins = { dragoman: here(import.meta.url), droidAcp: here("./droid-acp.js") };
  const code = await main(argv, { ...nodeIo(version, bins), oneOutput: outputsAreOne() });
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  process.exit(code);
}

/** Resolves when all that was written has gone, or can go nowhere any more. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.on("error", () => resolve());
    stream.write("", () => resolve());
  });
}
