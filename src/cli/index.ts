/** The command line: `main` is a function from arguments and the outside world to an exit code. */
export { main } from "./main.ts";
export { nodeIo } from "./node-io.ts";
export { outputsAreOne } from "./outputs.ts";
