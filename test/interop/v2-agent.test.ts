// Our client and an agent on the SDK's experimental support for v2.
import * as sdk from "@agentclientprotocol/sdk/experimental/v2";
import { describe, expect, it } from "vitest";
import {
  ConnectionError,
  type PermissionRequest,
  RemoteError,
} from "../../src/entries/dragoman.ts";
import { base64Of, deferred } from "../../src/base/index.ts";
import { cwd, type SdkTurn, start, until } from "./sdk-v2-agent.ts";

async function answer(turn: SdkTurn): Promise<void> {
  await turn.begin();
  await turn.say("Hello ");
  await turn.say(turn.text);
  await turn.idle();
}

const bash: sdk.SessionUpdate & object = {
  sessionUpdate: "tool_call_update",
  toolCallId: "call",
  title: "Run it",
  kind: "execute",
  status: "in_progress",
};

describe("a turn", () => {
  it("is read as on v1, and ends with the idle state", async () => {
    const { session } = await start(answer);
    const turn = session.prompt("you");
    const texts: string[] = [];
    for await (const update of turn) {
      if (update.type === "agent_message_chunk") texts.push(update.text);
    }
    expect(texts).toEqual(["Hello ", "you"]);
    await expect(turn.result).resolves.toMatchObject({ stopReason: "end_turn" });
    expect(session.activity).toBe("idle");
    await expect(session.prompt("again").text()).resolves.toBe("Hello again");
  });

  it("works the same with the newest version", async () => {
    const { client, session } = await start(answer, { protocol: "newest" });
    expect(client.agent.protocolVersion).toBe(2);
    await expect(session.prompt("you").text()).resolves.toBe("Hello you");
  });

  it("does not end with the answer to the prompt", async () => {
    const mayEnd = deferred();
    const { session } = await start(async (turn) => {
      await turn.begin();
      await mayEnd.promise;
      await turn.idle();
    });
    const turn = session.prompt("wait");
    let isOver = false;
    void turn.result.then(() => {
      isOver = true;
    });
    await until(session, () => session.activity === "running");
    expect(isOver).toBe(false);
    mayEnd.resolve();
    await turn.result;
  });

  it("keeps the order of updates, questions and the end, with everything sent at once", async () => {
    const seen: string[] = [];
    const { session } = await start(
      async (turn) => {
        void turn.insert();
        void turn.state("running");
        void turn.say("one");
        void turn.update(bash);
        const asked = turn.ask({
          subject: { type: "tool_call", toolCall: { toolCallId: "call" } },
        });
        void turn.say("two");
        await asked;
        await turn.idle();
      },
      {
        permissions: ({ toolCall }) => {
          seen.push(`asked about ${toolCall?.title}`);
          return "allow";
        },
      },
    );
    const turn = session.prompt("go");
    for await (const update of turn) {
      if (update.text !== "") seen.push(update.text);
      if (update.type === "tool_call") seen.push(update.title ?? "");
    }
    await turn.result;
    expect(seen.filter((text) => text !== "asked about Run it")).toEqual(["one", "Run it", "two"]);
    expect(seen).toContain("asked about Run it");
  });

  it("shows tools with patches and terminals of the agent", async () => {
    const { session } = await start(async (turn) => {
      await turn.begin();
      await turn.update({
        sessionUpdate: "terminal_update",
        terminalId: "t",
        command: "npm test",
        cwd: "/project",
        size: { cols: 80, rows: 24 },
      });
      const text = [
        "diff --git /project/a.ts /project/a.ts",
        "--- /project/a.ts",
        "+++ /project/a.ts",
        "@@ -1 +1 @@",
        "-old",
        "+new",
        "",
      ].join("\n");
      await turn.update({
        ...bash,
        content: [
          {
            type: "diff",
            changes: [{ operation: "modify", path: "/project/a.ts", fileType: "text" }],
            patch: { format: "git_patch", text },
          },
          { type: "terminal", terminalId: "t" },
        ],
      });
      const check = new TextEncoder().encode("ok ✓");
      for (const bytes of [check.slice(0, 4), check.slice(4)]) {
        await turn.update({
          sessionUpdate: "terminal_output_chunk",
          terminalId: "t",
          data: base64Of(bytes),
        });
      }
      await turn.update({
        sessionUpdate: "terminal_update",
        terminalId: "t",
        exitStatus: { exitCode: 0 },
      });
      await turn.update({
        sessionUpdate: "tool_call_update",
        toolCallId: "call",
        status: "completed",
      });
      await turn.idle();
    });
    await session.prompt("go").result;
    const call = session.toolCalls.get("call");
    expect(call?.status).toBe("completed");
    expect(call?.content).toMatchObject([
      {
        type: "diff",
        path: "/project/a.ts",
        oldText: "old\n",
        newText: "new\n",
        change: { operation: "modify", path: "/project/a.ts", fileType: "text" },
        patch: expect.stringContaining("@@ -1 +1 @@") as string,
      },
      { type: "content", content: { type: "text", text: "ok ✓" }, terminalId: "t" },
    ]);
    expect(session.terminals.get("t")).toMatchObject({
      command: "npm test",
      output: "ok ✓",
      exit: { code: 0 },
      size: { cols: 80, rows: 24 },
    });
  });

  it("fails with the agent's error if the prompt is refused, and the session goes on", async () => {
    const { session } = await start(async (turn, agent) => {
      if (agent.turns.length > 1) return answer(turn);
      turn.refuse(sdk.RequestError.internalError({ reason: "offline" }, "The model is offline"));
    });
    const error: unknown = await session.prompt("one").result.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RemoteError);
    expect(error).toMatchObject({ rpcCode: -32603, data: { reason: "offline" } });
    await expect(session.prompt("two").text()).resolves.toBe("Hello two");
  });

  it("fails with the error of the idle state if the work fails", async () => {
    const { session } = await start(async (turn) => {
      await turn.begin();
      await turn.say("Let me");
      const error = { code: -32603, message: "The model stopped", data: { status: 529 } };
      await turn.idle("error", { error });
    });
    const turn = session.prompt("one");
    await expect(turn.result).rejects.toMatchObject({
      rpcCode: -32603,
      message: "The model stopped",
      data: { status: 529 },
    });
  });

  it("ends as not reported if the idle state has no stop reason", async () => {
    const { session } = await start(async (turn) => {
      await turn.begin();
      await turn.state("idle");
    });
    await expect(session.prompt("go").result).resolves.toMatchObject({ stopReason: "end_turn" });
  });

  it("survives a resumed idle state, a repeated one and late updates", async () => {
    const { session } = await start(async (turn) => {
      // A snapshot before the work starts is not its end.
      await turn.idle();
      await answer(turn);
      await turn.idle();
      await turn.update({ sessionUpdate: "session_info_update", title: "Late" });
    });
    await expect(session.prompt("you").text()).resolves.toBe("Hello you");
    await until(session, () => session.title === "Late");
    await expect(session.prompt("two").text()).resolves.toBe("Hello two");
  });

  it("fails when the agent dies", async () => {
    const { agent, session } = await start(async (turn) => {
      await turn.begin();
      await turn.say("Hel");
    });
    const turn = session.prompt("go");
    await until(session, () => session.activity === "running");
    await agent.die();
    await expect(turn.result).rejects.toBeInstanceOf(ConnectionError);
  });

  it("is cancelled when the session is closed while it runs", async () => {
    const running: SdkTurn[] = [];
    const { session, agent } = await start(async (turn, sdkAgent) => {
      running.push(turn);
      await turn.begin();
      await sdkAgent.cancelled();
      await turn.idle("cancelled");
    });
    const turn = session.prompt("go");
    await until(session, () => session.activity === "running");
    await session.close();
    await expect(turn.result).resolves.toMatchObject({ stopReason: "cancelled" });
    expect(agent.received.slice(-2)).toEqual(["session/cancel", "session/close"]);
  });

  it("stays in bounded memory while nothing reads it", async () => {
    const count = 3000;
    const text = "x".repeat(4096);
    let sent = 0;
    const { session } = await start(async (turn) => {
      await turn.begin();
      for (; sent < count; sent++) await turn.say(text);
      await turn.idle();
    });
    const turn = session.prompt("go");
    const reader = turn[Symbol.asyncIterator]();
    await reader.next();
    // The stalled reader stops the agent long before its last update.
    for (let before = -1; before !== sent;) {
      before = sent;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(sent).toBeLessThan(count);
    let chars = 0;
    for (let next = await reader.next(); next.done !== true; next = await reader.next()) {
      chars += next.value.text.length;
    }
    expect(chars).toBe(count * text.length);
  });
});

describe("a permission request", () => {
  const options = [
    { optionId: "maybe", name: "Perhaps", kind: "_perhaps" },
    { optionId: "yes", name: "Allow", kind: "allow_once" as const },
  ];
  const subjects: readonly [string, sdk.RequestPermissionRequest["subject"], string][] = [
    ["a tool call", { type: "tool_call", toolCall: { ...bash, toolCallId: "call" } }, "Run it"],
    ["a command", { type: "command", command: "npm test", cwd: "/project" }, "May I?"],
    ["nothing", undefined, "May I?"],
    ["something unknown", { type: "_acme", thing: 1 }, "May I?"],
  ];

  it.each(subjects)("about %s is asked and answered", async (_, subject, title) => {
    const asked: PermissionRequest[] = [];
    const outcomes: unknown[] = [];
    const { session } = await start(
      async (turn) => {
        await turn.begin();
        await turn.state("requires_action");
        const request = { description: "Because.", options };
        outcomes.push((await turn.ask(subject ? { ...request, subject } : request)).outcome);
        await turn.state("running");
        await turn.idle();
      },
      {
        permissions: (request) => {
          asked.push(request);
          return "allow";
        },
      },
    );
    await session.prompt("go").result;
    expect(asked).toMatchObject([
      { question: "May I?", description: "Because.", toolCall: { title } },
    ]);
    expect(outcomes).toEqual([{ outcome: "selected", optionId: "yes" }]);
    expect([...session.toolCalls.keys()]).toEqual(subject?.type === "tool_call" ? ["call"] : []);
  });

  it("about a command names the command as its target", async () => {
    const targets: unknown[] = [];
    const { session } = await start(
      async (turn) => {
        await turn.begin();
        await turn.ask({ subject: { type: "command", command: "npm test", cwd } });
        await turn.idle();
      },
      {
        permissions: (request) => {
          targets.push(...request.targets.commands);
          return "deny";
        },
      },
    );
    await session.prompt("go").result;
    expect(targets).toMatchObject([{ line: "npm test" }]);
  });

  it("is cancelled if no option has a known kind", async () => {
    const outcomes: unknown[] = [];
    const { session } = await start(
      async (turn) => {
        await turn.begin();
        const [unknown = { optionId: "", name: "", kind: "" }] = options;
        outcomes.push((await turn.ask({ options: [unknown] })).outcome);
        await turn.idle();
      },
      { permissions: "all" },
    );
    await session.prompt("go").result;
    expect(outcomes).toEqual([{ outcome: "cancelled" }]);
  });
});
