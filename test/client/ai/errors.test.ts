import {
  AISDKError,
  APICallError,
  InvalidPromptError,
  NoSuchModelError,
  UnsupportedFunctionalityError,
} from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import {
  AcpModelError,
  AcpPromptError,
  AcpUnsupportedError,
  toProviderError,
} from "../../../src/client/ai/errors.ts";
import {
  AuthRequiredError,
  CapabilityError,
  ConnectionError,
  InvalidArgumentError,
  RemoteError,
  SessionError,
  StartError,
  TimeoutError,
} from "../../../src/entries/dragoman.ts";

const remote = new RemoteError({ code: -32603, message: "Internal error", data: "out of tokens" });
const exited = new ConnectionError({
  kind: "exited",
  exit: { code: 1, signal: null },
  stderr: "no key\n",
});

describe("an error of the client becomes", () => {
  it.each([
    [
      new StartError(exited),
      "start_failed",
      /^could not start the agent: .*no key.*; check the comm/s,
    ],
    [new AuthRequiredError(remote, []), "auth_required", /requires a login.*own command/],
    [new CapabilityError("x", "image"), "unsupported", /does not advertise "image"/],
    [new InvalidArgumentError("bad path"), "invalid_argument", /^bad path$/],
    [new SessionError("closed", "s"), "session_not_found", /"s" is closed/],
    [new TimeoutError("turnMs", 5, "x"), "timeout", /within 5 ms; the option "timeouts"/],
    [remote, "remote_error", /^the agent answered with an error: .*out of tokens/],
    [exited, "connection_lost", /^the connection to the agent was lost: .*code 1.*no key/s],
    [new Error("odd"), "internal", /^odd$/],
    ["text", "internal", /^text$/],
  ])("%s", (thrown, code, message) => {
    const error = toProviderError(thrown);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    if (thrown instanceof Error) expect(error.cause).toBe(thrown);
    expect(AISDKError.isInstance(error)).toBe(true);
    // The AI SDK retries these.
    expect(APICallError.isInstance(error)).toBe(false);
  });
});

it("the AI SDK recognizes the errors that it has a class for", () => {
  const model = new AcpModelError("m", "languageModel", "no such model");
  const unsupported = new AcpUnsupportedError("images", "no images");
  const prompt = new AcpPromptError([], "empty");
  expect(NoSuchModelError.isInstance(model)).toBe(true);
  expect(UnsupportedFunctionalityError.isInstance(unsupported)).toBe(true);
  expect(InvalidPromptError.isInstance(prompt)).toBe(true);
  expect(NoSuchModelError.isInstance(prompt)).toBe(false);
  expect(toProviderError(model)).toBe(model);
});
