import { expect, it } from "vitest";
import { withoutTokens } from "../../../../src/apps/cli/serve/agents.ts";
import { tokenFor } from "../../../host/hub/serve/rig.ts";

it("variables that hold a token of the server are not passed to agents, even an expired one", () => {
  const ada = tokenFor("ada");
  const old = tokenFor("old", { expires: 1 });
  const env = {
    PATH: "/bin",
    A: ada.token,
    B: `Bearer ${old.token}`,
    C: `${ada.token}\n`,
    D: "another-secret",
    E: undefined,
  };
  expect(withoutTokens(env, [ada.grant, old.grant])).toEqual({
    PATH: "/bin",
    A: undefined,
    B: undefined,
    C: undefined,
    D: "another-secret",
    E: undefined,
  });
});
