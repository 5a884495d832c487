/** The command line. `main` takes the arguments and the environment, and returns an exit code. */
export { main } from "./main.ts";
export { nodeIo } from "./node-io.ts";
export { outputsAreOne } from "./outputs.ts";
