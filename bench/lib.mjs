// The library under test, bundled from src by bench/run.mjs.
export * from "../node_modules/.cache/bench/lib.js";
