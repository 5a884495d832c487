import { describe, expect, it } from "vitest";
import { requestToken } from "../../../../src/transport/remote/server/gatekeeper.ts";
import { bearerProtocols } from "../../../../src/transport/remote/websocket/subprotocols.ts";

describe("a token", () => {
  const protocols = (token: string) => ({
    "sec-websocket-protocol": bearerProtocols(token).join(", "),
  });
  it.each([
    ["a header", { authorization: "Bearer abc" }, "abc"],
    ["a header in other letters", { authorization: "bearer  abc " }, "abc"],
    ["a subprotocol", protocols("a+b/c=ä"), "a+b/c=ä"],
    ["the header first", { authorization: "Bearer abc", ...protocols("def") }, "abc"],
    ["nothing", {}, undefined],
    ["another scheme", { authorization: "Basic abc" }, undefined],
    ["an empty header", { authorization: "Bearer " }, undefined],
    ["a header with two tokens", { authorization: "Bearer abc def" }, undefined],
    [
      "a subprotocol that is not base64",
      { "sec-websocket-protocol": "dragoman.bearer.!" },
      undefined,
    ],
  ])("comes from %s", (_name, headers, token) => {
    expect(requestToken(headers)).toBe(token);
  });
});
