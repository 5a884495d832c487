#!/usr/bin/env node
globalThis.fakeDroidVersion = "0.36.2";
await import("./fake-droid.mjs");
