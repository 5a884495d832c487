/** Droid as an ACP agent. */
export { main, type AdapterOutput } from "./main.ts";
export { serveDroid, type ServeDroidOptions } from "./serve.ts";
