// A file `x.browser.ts` takes the place of `x.ts` in the build for browsers.
import { readdir } from "node:fs/promises";
import { expect, it } from "vitest";

const root = new URL("../../src/", import.meta.url);
const all = await readdir(root, { recursive: true });
const browserFiles = all.filter((file) => file.endsWith(".browser.ts")).toSorted();

/** The compiler checks that both have the same types. The build fails if one lacks a name that is used. */
function pair<T extends object>(
  path: string,
  forNode: () => Promise<T>,
  forBrowsers: () => Promise<Partial<NoInfer<T>>>,
) {
  return { path, forNode, forBrowsers };
}

const pairs = [
  pair(
    "agent/session/folder",
    () => import("../../src/agent/session/folder.ts"),
    () => import("../../src/agent/session/folder.browser.ts"),
  ),
  pair(
    "base/process/running-command",
    () => import("../../src/base/process/running-command.ts"),
    () => import("../../src/base/process/running-command.browser.ts"),
  ),
  pair(
    "base/timing/immediate",
    () => import("../../src/base/timing/immediate.ts"),
    () => import("../../src/base/timing/immediate.browser.ts"),
  ),
  pair(
    "base/timing/time-limit",
    () => import("../../src/base/timing/time-limit.ts"),
    () => import("../../src/base/timing/time-limit.browser.ts"),
  ),
  pair(
    "client/ai/current-folder",
    () => import("../../src/client/ai/current-folder.ts"),
    () => import("../../src/client/ai/current-folder.browser.ts"),
  ),
  pair(
    "client/connection/start-output",
    () => import("../../src/client/connection/start-output.ts"),
    () => import("../../src/client/connection/start-output.browser.ts"),
  ),
  pair(
    "client/gate/providers/form-pattern",
    () => import("../../src/client/gate/providers/form-pattern.ts"),
    () => import("../../src/client/gate/providers/form-pattern.browser.ts"),
  ),
  pair(
    "client/gate/providers/local-terminals",
    () => import("../../src/client/gate/providers/local-terminals.ts"),
    () => import("../../src/client/gate/providers/local-terminals.browser.ts"),
  ),
  pair(
    "client/gate/workspace/disk-workspace",
    () => import("../../src/client/gate/workspace/disk-workspace.ts"),
    () => import("../../src/client/gate/workspace/disk-workspace.browser.ts"),
  ),
  pair(
    "client/platform",
    () => import("../../src/client/platform.ts"),
    () => import("../../src/client/platform.browser.ts"),
  ),
  pair(
    "client/v2/load",
    () => import("../../src/client/v2/load.ts"),
    () => import("../../src/client/v2/load.browser.ts"),
  ),
  pair(
    "protocol/schema/validator",
    () => import("../../src/protocol/schema/validator.ts"),
    () => import("../../src/protocol/schema/validator.browser.ts"),
  ),
  pair(
    "tools/transports/bridge",
    () => import("../../src/tools/transports/bridge.ts"),
    () => import("../../src/tools/transports/bridge.browser.ts"),
  ),
  pair(
    "tools/transports/http",
    () => import("../../src/tools/transports/http.ts"),
    () => import("../../src/tools/transports/http.browser.ts"),
  ),
  pair(
    "transport/remote/http/open-http",
    () => import("../../src/transport/remote/http/open-http.ts"),
    () => import("../../src/transport/remote/http/open-http.browser.ts"),
  ),
  pair(
    "transport/remote/websocket/node-socket",
    () => import("../../src/transport/remote/websocket/node-socket.ts"),
    () => import("../../src/transport/remote/websocket/node-socket.browser.ts"),
  ),
  pair(
    "transport/wire/channels/socket",
    () => import("../../src/transport/wire/channels/socket.ts"),
    () => import("../../src/transport/wire/channels/socket.browser.ts"),
  ),
  pair(
    "transport/wire/channels/stdio",
    () => import("../../src/transport/wire/channels/stdio.ts"),
    () => import("../../src/transport/wire/channels/stdio.browser.ts"),
  ),
  pair(
    "transport/wire/channels/stream",
    () => import("../../src/transport/wire/channels/stream.ts"),
    () => import("../../src/transport/wire/channels/stream.browser.ts"),
  ),
  // Private fields make two classes of the same shape different types.
  pair<object>(
    "transport/wire/lines/splitter",
    () => import("../../src/transport/wire/lines/splitter.ts"),
    () => import("../../src/transport/wire/lines/splitter.browser.ts"),
  ),
  pair(
    "transport/wire/process/channel",
    () => import("../../src/transport/wire/process/channel.ts"),
    () => import("../../src/transport/wire/process/channel.browser.ts"),
  ),
];

it("every file for browsers is in this list", () => {
  expect(pairs.map(({ path }) => `${path}.browser.ts`)).toEqual(
    browserFiles.map((file) => file.replaceAll("\\", "/")),
  );
});

it.each(pairs)("$path has no names for browsers alone", async ({ forNode, forBrowsers }) => {
  const names = Object.keys(await forBrowsers());
  expect(names).not.toEqual([]);
  expect(Object.keys(await forNode())).toEqual(expect.arrayContaining(names));
});
