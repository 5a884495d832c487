/** The command line. `main` takes the arguments and the environment, and returns an exit code. */
export { main } from "./main.ts";
export { nodeIo, outputsAreOne } from "./shell/node-io.ts";

/** Runs the hub of warm agents in this process. Loaded on demand. */
export async function runHub(folder: string, version: string): Promise<void> {
  const hub = await import("./warm/daemon.ts");
  await hub.runHub(folder, version);
}
