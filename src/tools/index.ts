/** `dragoman/tools`: tools in this process that agents can call. */
export * from "./public.ts";
export { runToolBridge } from "./transports/bridge-program.ts";
