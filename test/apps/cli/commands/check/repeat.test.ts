import { expect, it } from "vitest";
import { GRAMMAR } from "../../../../../src/apps/cli/commands/grammar.ts";
import { repeatCommandLine } from "../../../../../src/apps/cli/commands/check/options.ts";

it.each([
  ["check -- my-agent --acp", "dragoman check --only @ID@ -- my-agent --acp"],
  ["check -a gemini --jobs 4 --html x.html --skip A", "dragoman check -a gemini --only @ID@"],
  [
    "check --level warn --prompts p.json --model-env A={url} --model-env B={url}/v1 -- x",
    "dragoman check --prompts p.json --model-env 'A={url}' --model-env 'B={url}/v1' --only @ID@ -- x",
  ],
  [
    "check client --driver d.json --baseline b.json -- client {agent}",
    "dragoman check client --driver d.json --only @ID@ -- client '{agent}'",
  ],
  [
    "check --agent-url ws://localhost:1/acp --token-file t --protocol 2",
    "dragoman check --agent-url ws://localhost:1/acp --token-file t --protocol 2 --only @ID@",
  ],
])("a case of `dragoman %s` is repeated by %s", (line, repeated) => {
  const { values, rest } = GRAMMAR.parse(line.split(" "));
  const side = line.startsWith("check client") ? "client" : "agent";
  expect(repeatCommandLine(values, side, rest)).toBe(repeated);
});
