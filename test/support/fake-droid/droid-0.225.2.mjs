#!/usr/bin/env node
globalThis.fakeDroidVersion = "0.225.2";
await import("./fake-droid.mjs");
