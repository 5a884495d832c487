import { describe, expect, it } from "vitest";
import type {
  ElicitationProvider,
  ElicitationReply,
  FormElicitation,
  UrlElicitation,
} from "../../../../src/client/gate/providers/provider.ts";
import { harness } from "../harness.ts";

const METHOD = "elicitation/create";
const form = (requestedSchema: object) => ({ mode: "form", message: "Who?", requestedSchema });
const urlRequest = (url: string, elicitationId = "e1") => ({
  mode: "url",
  message: "Go",
  url,
  elicitationId,
});
const NAME = { properties: { name: { type: "string" } }, required: ["name"] };

/** A provider that gives the same reply to every form and URL, and records them. */
function recordingProvider(reply: ElicitationReply | Promise<ElicitationReply>) {
  const forms: FormElicitation[] = [];
  const urls: UrlElicitation[] = [];
  const completed: string[] = [];
  const provider: ElicitationProvider = {
    form(request) {
      forms.push(request);
      return reply;
    },
    url(request) {
      urls.push(request);
      return reply;
    },
    completed(id) {
      completed.push(id);
    },
  };
  return { provider, forms, urls, completed };
}

describe("elicitation", () => {
  it("is neither advertised nor answered without a provider", async () => {
    await using h = harness();
    expect(h.gate.capabilities).not.toHaveProperty("elicitation");
    expect((await h.failure(METHOD, form(NAME))).rpcCode).toBe(-32601);
  });

  it("advertises only the modes of the provider, and answers others with -32602", async () => {
    await using h = harness({ elicitation: { form: () => ({ action: "decline" }) } });
    expect(h.gate.capabilities.elicitation).toEqual({ form: {} });
    expect((await h.failure(METHOD, urlRequest("https://example.org"))).rpcCode).toBe(-32602);
    await using u = harness({ elicitation: { url: () => ({ action: "decline" }) } });
    expect(u.gate.capabilities.elicitation).toEqual({ url: {} });
    expect((await u.failure(METHOD, form(NAME))).rpcCode).toBe(-32602);
    const custom = { mode: "_voice", message: "?" };
    expect((await u.failure(METHOD, custom)).rpcCode).toBe(-32602);
  });

  it("can be switched off even if there is a provider", async () => {
    const { provider } = recordingProvider({ action: "decline" });
    await using h = harness({
      elicitation: provider,
      capabilities: { elicitation: { url: null } },
    });
    expect(h.gate.capabilities.elicitation).toEqual({ form: {} });
    expect((await h.failure(METHOD, urlRequest("https://example.org"))).rpcCode).toBe(-32602);
  });

  it("gives a form and a check to the provider, and returns its answer", async () => {
    const { provider, forms } = recordingProvider({ action: "accept", content: { name: "Ada" } });
    await using h = harness({ elicitation: provider });
    expect(await h.ask(METHOD, { ...form(NAME), toolCallId: "t1" })).toEqual({
      action: "accept",
      content: { name: "Ada" },
    });
    expect(forms[0]).toMatchObject({
      message: "Who?",
      schema: NAME,
      sessionId: "s1",
      toolCallId: "t1",
    });
    expect(forms[0]?.check({ name: 1 })).toHaveLength(1);
    expect(h.session.questions).toBe(1);
  });

  it.each<[string, ElicitationReply]>([
    ["declined", { action: "decline" }],
    ["cancelled", { action: "cancel" }],
  ])("reports to the agent that it was %s", async (_case, reply) => {
    await using h = harness({ elicitation: recordingProvider(reply).provider });
    expect(await h.ask(METHOD, form(NAME))).toEqual(reply);
  });

  it("does not send an answer to the agent if it does not fit the form", async () => {
    await using h = harness({
      elicitation: recordingProvider({ action: "accept", content: {} }).provider,
    });
    expect(await h.ask(METHOD, form(NAME))).toEqual({ action: "cancel" });
    expect(h.logs.some(({ level }) => level === "error")).toBe(true);
  });

  it("is cancelled if the provider throws", async () => {
    const broken: ElicitationProvider = { form: () => Promise.reject(new Error("no")) };
    await using h = harness({ elicitation: broken });
    expect(await h.ask(METHOD, form(NAME))).toEqual({ action: "cancel" });
  });

  it("is cancelled with the turn, even if the provider never answers", async () => {
    await using h = harness({ elicitation: recordingProvider(new Promise(() => {})).provider });
    const answer = h.ask(METHOD, form(NAME));
    while (h.session.open < 1) await new Promise(setImmediate);
    h.session.cancel();
    expect(await answer).toEqual({ action: "cancel" });
    expect(await h.ask(METHOD, form(NAME))).toEqual({ action: "cancel" });
  });

  it("answers a form that cannot be filled in with its faults", async () => {
    await using h = harness({ elicitation: recordingProvider({ action: "decline" }).provider });
    const error = await h.failure(METHOD, form({ required: ["unknown"] }));
    expect(error).toMatchObject({
      rpcCode: -32602,
      data: { errors: [{ path: "requestedSchema.required" }] },
    });
  });

  it("belongs to either a session or a request, but not to both", async () => {
    const { provider, forms } = recordingProvider({ action: "decline" });
    await using h = harness({ elicitation: provider });
    const withoutSession = { sessionId: undefined, requestId: 7, ...form(NAME) };
    expect(await h.ask(METHOD, withoutSession)).toEqual({ action: "decline" });
    expect(forms[0]).toMatchObject({ sessionId: undefined, requestId: 7 });
    expect((await h.failure(METHOD, { requestId: 7, ...form(NAME) })).rpcCode).toBe(-32602);
    expect((await h.failure(METHOD, { ...form(NAME), sessionId: "other" })).rpcCode).toBe(-32002);
  });

  it.each(["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "not a URL", ""])(
    "does not show the URL %j",
    async (url) => {
      const { provider, urls } = recordingProvider({ action: "accept" });
      await using h = harness({ elicitation: provider });
      expect((await h.failure(METHOD, urlRequest(url))).rpcCode).toBe(-32602);
      expect(urls).toEqual([]);
    },
  );

  it("reports a completed URL once, and ignores unknown ids", async () => {
    const { provider, urls, completed } = recordingProvider({ action: "accept" });
    await using h = harness({ elicitation: provider });
    expect(await h.ask(METHOD, urlRequest("https://example.org/x"))).toEqual({ action: "accept" });
    expect(urls[0]?.url.host).toBe("example.org");
    const complete = (elicitationId: unknown) =>
      h.gate.notification("elicitation/complete", { elicitationId });
    expect([complete("unknown"), complete("e1"), complete("e1"), complete(5)]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(completed).toEqual(["e1"]);
  });

  it("forgets a URL that was declined", async () => {
    const { provider, completed } = recordingProvider({ action: "decline" });
    await using h = harness({ elicitation: provider });
    await h.ask(METHOD, urlRequest("https://example.org/x"));
    h.gate.notification("elicitation/complete", { elicitationId: "e1" });
    expect(completed).toEqual([]);
  });
});
