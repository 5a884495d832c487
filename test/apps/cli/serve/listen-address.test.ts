import { expect, it } from "vitest";
import { parseListen } from "../../../../src/apps/cli/serve/options.ts";

it.each([
  [undefined, { host: undefined, port: 8790 }],
  ["8080", { host: undefined, port: 8080 }],
  ["0", { host: undefined, port: 0 }],
  ["127.0.0.1:0", { host: "127.0.0.1", port: 0 }],
  ["localhost:80", { host: "localhost", port: 80 }],
  ["[::1]:443", { host: "::1", port: 443 }],
  ["0.0.0.0:65535", { host: "0.0.0.0", port: 65_535 }],
])("--listen %s", (text, address) => {
  expect(parseListen(text)).toEqual(address);
});

it.each([
  "",
  ":8080",
  "host",
  "host:",
  "host:65536",
  "::1:80",
  "[host]:80",
  "a:b:80",
  "http://a:80",
])("--listen %j is refused", (text) => {
  expect(() => parseListen(text)).toThrow("is not HOST:PORT");
});
