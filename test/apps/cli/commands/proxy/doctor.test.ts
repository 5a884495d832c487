import { expect, it } from "vitest";
import { GRAMMAR } from "../../../../../src/apps/cli/commands/grammar.ts";
import { proxyArguments } from "../../../../../src/apps/cli/commands/proxy/command.ts";

it("starts the same proxy from any folder, without the options of the check", () => {
  const argv =
    "proxy --doctor --color never -C sub -a gemini --permissions rules.json --record-dir=out " +
    "--token-file ~/token --settings /etc/settings.json --protocol 2 --remote-files";
  expect(proxyArguments(GRAMMAR.parse(argv.split(" ")), "/here")).toEqual([
    "proxy",
    "--agent=gemini",
    "--permissions=/here/rules.json",
    "--record-dir=/here/out",
    "--token-file=~/token",
    "--settings=/etc/settings.json",
    "--protocol=2",
    "--remote-files",
  ]);
});

it("keeps the command", () => {
  const parsed = GRAMMAR.parse(["proxy", "--doctor", "--", "agent", "--doctor", "a b"]);
  expect(proxyArguments(parsed, "/here")).toEqual(["proxy", "--", "agent", "--doctor", "a b"]);
});
