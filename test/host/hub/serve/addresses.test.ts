import { expect, it } from "vitest";
import { isLoopback } from "../../../../src/transport/wire/index.ts";
import {
  listenAddresses,
  expectLoopbackAddresses,
  ExposedAddressError,
  namesOf,
} from "../../../../src/host/hub/serve/addresses.ts";

it("a name counts as the addresses that it leads to", async () => {
  expect((await listenAddresses("localhost")).every(isLoopback)).toBe(true);
  expect(await listenAddresses("192.0.2.1")).toEqual(["192.0.2.1"]);
  // As if the name led to two addresses.
  expect(() => expectLoopbackAddresses(["127.0.0.1", "192.0.2.1"])).toThrow(ExposedAddressError);
});

it("only names that need no foreign lookup are accepted in Host headers", () => {
  expect(namesOf(undefined, ["127.0.0.1", "::1"])).toEqual(["127.0.0.1", "localhost", "[::1]"]);
  expect(namesOf("box.example", ["192.0.2.1"])).toEqual([
    "127.0.0.1",
    "localhost",
    "[::1]",
    "box.example",
    "192.0.2.1",
  ]);
  expect(namesOf("::", ["::"])).toEqual(expect.arrayContaining(["[::]", "127.0.0.1"]));
});
