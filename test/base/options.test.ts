import { describe, expect, it } from "vitest";
import { type OptionNames, optionsFault } from "../../src/base/index.ts";

interface Options {
  readonly permissions?: string;
  readonly cwd?: string;
  readonly whenBusy?: string;
}

const names: OptionNames<Options> = { permissions: true, cwd: true, whenBusy: true };

describe("options", () => {
  it.each([
    [{}, undefined],
    [{ cwd: "/", permissions: undefined }, undefined],
    [Object.assign(Object.create(null), { cwd: "/" }), undefined],
    [{ permission: "read" }, 'open: unknown option "permission"; did you mean "permissions"?'],
    [{ whenbusy: "wait" }, 'open: unknown option "whenbusy"; did you mean "whenBusy"?'],
    [{ folder: "/" }, 'open: unknown option "folder"'],
    [{ cwdd: undefined }, 'open: unknown option "cwdd"; did you mean "cwd"?'],
    [{ _private: 1 }, 'open: unknown option "_private"'],
    [{ toString: 1 }, 'open: unknown option "toString"'],
    [undefined, "open: the options must be an object"],
    [null, "open: the options must be an object"],
    ["cwd", "open: the options must be an object"],
  ])("%j: %s", (given, fault) => {
    expect(optionsFault(given, names, "open")).toBe(fault);
  });

  it("may be an instance of a class, which may have fields of its own", () => {
    class Own {
      readonly cwd = "/";
      readonly cache = new Map();
    }
    expect(optionsFault(new Own(), names, "open")).toBeUndefined();
  });
});
