#!/usr/bin/env node
// Everything else is imported dynamically, so that `--version` loads only this file.
import { fileURLToPath } from "node:url";
import { version } from "./version.ts";

const argv = process.argv.slice(2);

switch (argv[0]) {
  case "--version":
  case "-V":
    process.stdout.write(`${version}\n`);
    break;
  case "demo-agent": {
    const { runDemoAgent } = await import("../demo-agent/index.ts");
    await runDemoAgent(version, argv.slice(1));
    break;
  }
  // Started in the background by a run with `--warm`.
  case "warm-hub": {
    const { runHub } = await import("../cli/index.ts");
    await runHub(argv[1] ?? "", version);
    process.exit(0);
    break;
  }
  // Started by a client that `dragoman check client` checks.
  case "check-agent": {
    const { runAgentRelay } = await import("../../conformance/check/index.ts");
    await runAgentRelay(argv[1] ?? "");
    break;
  }
  // Started by agents that reach tools of another process over stdio.
  case "tool-bridge": {
    const { runToolBridge } = await import("../../tools/index.ts");
    process.exit(await runToolBridge(process.env, process));
    break;
  }
  // `npx dragoman` can only run the command with the name of the package.
  case "droid-acp": {
    const { main } = await import("../droid-acp/index.ts");
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
  const files = {
    dragoman: here(import.meta.url),
    droidAcp: here("./droid-acp.js"),
    inspectPage: here("../inspect/page.html"),
  };
  const code = await main(argv, { ...nodeIo(version, files), oneOutput: outputsAreOne() });
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  process.exit(code);
}

/** Resolves once all output is flushed, or once the stream fails. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.on("error", () => resolve());
    stream.write("", () => resolve());
  });
}
