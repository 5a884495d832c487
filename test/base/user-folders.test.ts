import { describe, expect, it } from "vitest";
import { configFolder, stateFolder } from "../../src/base/user-files.ts";

describe("the config and state folders", () => {
  it.each([
    [{}, "linux", "/h/.config/dragoman", "/h/.local/state/dragoman"],
    [{ XDG_CONFIG_HOME: "/c", XDG_STATE_HOME: "/s" }, "linux", "/c/dragoman", "/s/dragoman"],
    [{ XDG_CONFIG_HOME: "relative" }, "linux", "/h/.config/dragoman", "/h/.local/state/dragoman"],
    [{}, "darwin", "/h/Library/Preferences/dragoman", "/h/Library/Application Support/dragoman"],
    [{ APPDATA: "/r", LOCALAPPDATA: "/l" }, "win32", "/r/dragoman/Config", "/l/dragoman/State"],
  ] as const)("with %j on %s are %s and %s", (env, platform, config, state) => {
    const io = { env, home: "/h", platform };
    expect([configFolder(io), stateFolder(io)]).toEqual([config, state]);
  });
});
