/** Droid as an ACP agent. */
export { main, type Output } from "./main.ts";
export { serveDroid, type ServeDroidOptions } from "./serve.ts";
