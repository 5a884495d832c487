#!/usr/bin/env node
globalThis.fakeDroidVersion = "0.99.0";
await import("./fake-droid.mjs");
