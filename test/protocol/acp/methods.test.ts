import {
  AGENT_METHODS as sdkAgent,
  CLIENT_METHODS as sdkClient,
  PROTOCOL_METHODS as sdkProtocol,
  PROTOCOL_VERSION as sdkVersion,
} from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import {
  AGENT_METHODS,
  CLIENT_METHODS,
  ERROR_CODES,
  PROTOCOL_METHODS,
  PROTOCOL_VERSION,
  MCP_ERROR_CODES,
  MCP_REQUEST_META,
  UNSTABLE_METHODS,
  UNSTABLE_SCHEMA_VERSION,
} from "../../../src/protocol/acp/index.ts";
import { constantsOf } from "./schema.ts";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { MCP_PROTOCOL_VERSION, McpBindingErrorCode } from "@agentclientprotocol/sdk/unstable";

test("methods and protocol version equal those of the SDK", () => {
  expect(Object.values(AGENT_METHODS).toSorted()).toEqual(Object.values(sdkAgent).toSorted());
  expect(Object.values(CLIENT_METHODS).toSorted()).toEqual(Object.values(sdkClient).toSorted());
  expect(Object.values(PROTOCOL_METHODS)).toEqual(Object.values(sdkProtocol));
  expect(PROTOCOL_VERSION).toBe(sdkVersion);
});

test("error codes equal those of the schema", () => {
  expect(Object.values(ERROR_CODES).toSorted((a, b) => a - b)).toEqual(
    constantsOf("ErrorCode").toSorted((a, b) => a - b),
  );
});

/** Compares the unstable protocol that Dragoman knows with the one of the installed SDK. */

const require = createRequire(import.meta.url);

type Json = Readonly<Record<string, unknown>>;

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function read(path: string): Json {
  const value: unknown = JSON.parse(readFileSync(path, "utf8"));
  if (!isJson(value)) throw new Error(`${path} is not an object`);
  return value;
}

function definitionsOf(file: string): Json {
  const defs = read(require.resolve(`@agentclientprotocol/sdk/schema/v1/${file}`))["$defs"];
  if (!isJson(defs)) throw new Error(`${file} has no definitions`);
  return defs;
}

const stable = definitionsOf("schema.json");
const unstable = definitionsOf("schema.unstable.json");

const WORDLESS = new Set(["description", "title", "default"]);

/** A definition without its prose. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (!isJson(value)) return value;
  const kept = Object.entries(value).filter(
    ([key, inner]) => !(WORDLESS.has(key) && !isJson(inner)) && !key.startsWith("x-"),
  );
  return Object.fromEntries(kept.map(([key, inner]) => [key, bare(inner)]));
}

test("the unstable schema is the one that this version was written for", async () => {
  const changed = Object.entries(unstable)
    .map(([name, value]) => [name, bare(value)] as const)
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(bare(stable[name])));
  const text = changed.map(([name, value]) => `${name}\n  ${JSON.stringify(value)}\n`).join("");
  await expect(text).toMatchFileSnapshot("./unstable-schema.txt");
});

test("the version in use is the installed one", () => {
  const lock = read(require.resolve("../../../package.json"));
  const { devDependencies } = lock;
  const version = isJson(devDependencies) ? devDependencies["@agentclientprotocol/sdk"] : undefined;
  expect(version).toBe(UNSTABLE_SCHEMA_VERSION);
});

test("the unstable methods are those of the schema", () => {
  const methods = Object.values(unstable).flatMap((definition) => {
    const method = isJson(definition) ? definition["x-method"] : undefined;
    return typeof method === "string" ? [method] : [];
  });
  const known = new Set<string>([
    ...Object.values(AGENT_METHODS),
    ...Object.values(CLIENT_METHODS),
    "$/cancel_request",
  ]);
  const added = [...new Set(methods)].filter((method) => !known.has(method));
  expect(added.toSorted()).toEqual(Object.values(UNSTABLE_METHODS).toSorted());
});

test("the constants of MCP over ACP equal those of the SDK", () => {
  expect(McpBindingErrorCode).toMatchObject(MCP_ERROR_CODES);
  expect(MCP_REQUEST_META.protocolVersion).toBe(MCP_PROTOCOL_VERSION);
});
