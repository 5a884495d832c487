/** Droid as an ACP agent. */
export { main } from "./main.ts";
export { serveDroid } from "./serve.ts";
