#!/usr/bin/env node
globalThis.fakeDroidVersion = "0.57.14";
await import("./fake-droid.mjs");
