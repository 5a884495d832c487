import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { DroidPermissionAnswer, DroidPermissionRequest } from "../../../src/entries/droid.ts";
import { isNewDroid, droidsOfLongTests } from "../../support/droid/install.ts";
import { text, toolCall } from "../../../src/conformance/scripted-model/index.ts";
import { eventually, execute, play, stage } from "./harness.ts";
import { writeMcpServer } from "./mcp-server.ts";
import { describeDroids } from "../../support/droid/describe.ts";

const exists = (path: string): Promise<boolean> =>
  readFile(path).then(
    () => true,
    () => false,
  );

describeDroids("droid", droidsOfLongTests(), (version) => {
  const isNew = isNewDroid(version);

  it("asks before it runs, creates or edits, and follows the answer", async () => {
    const { home, model, start } = await stage(version);
    const droid = await start({ autonomy: "off" });
    const file = (name: string): string => join(home.workspace, name);
    const requests: DroidPermissionRequest[] = [];
    const asked = async (
      tool: ReturnType<typeof toolCall>,
      answer: DroidPermissionAnswer,
      isDenied = answer === "cancel",
    ): Promise<string[]> => {
      model.push([text("working"), tool], ...(isDenied ? [] : [text("done")]));
      requests.length = 0;
      const { events, result } = await play(
        droid.prompt("go", {
          onPermission: async (request) => {
            requests.push(request);
            return answer;
          },
        }),
      );
      expect(result.stopReason).toBe("completed");
      return events.flatMap((event) => (event.type === "tool_result" ? [event.content] : []));
    };

    // Denied: nothing happens, and Droid does not call the model again.
    expect(await asked(execute("echo 1 > one"), "cancel")).toEqual([
      expect.stringContaining("cancelled"),
    ]);
    expect(await exists(file("one"))).toBe(false);
    const refusal = { decision: "deny", message: "not here" } as const;
    expect(await asked(execute("echo 1 > one"), refusal, true)).toEqual([
      expect.stringContaining("cancelled"),
    ]);
    expect(await exists(file("one"))).toBe(false);
    expect(requests[0]?.toolUses[0]?.details).toMatchObject({
      kind: "exec",
      fullCommand: "echo 1 > one",
      impactLevel: "medium",
    });

    await asked(execute("echo 1 > one"), "proceed_once");
    expect(await exists(file("one"))).toBe(true);

    const create = toolCall("Create", { file_path: file("two.txt"), content: "a\nb\n" });
    await asked(create, { option: "proceed_once", comment: "fine" });
    expect(await readFile(file("two.txt"), "utf8")).toBe("a\nb\n");
    expect(requests[0]?.toolUses[0]?.details).toMatchObject({
      kind: "create",
      filePath: file("two.txt"),
      content: "a\nb\n",
    });

    const change = {
      file_path: file("two.txt"),
      old_str: "a\n",
      new_str: "A\n",
      change_all: false,
    };
    await asked(toolCall("Edit", change), "cancel");
    expect(await readFile(file("two.txt"), "utf8")).toBe("a\nb\n");
    await asked(toolCall("Edit", change), "allow");
    expect(await readFile(file("two.txt"), "utf8")).toBe("A\nb\n");
    expect(requests[0]?.toolUses[0]?.details).toMatchObject({
      kind: "edit",
      oldContent: "a\nb\n",
      newContent: "A\nb\n",
    });

    // An option that was not offered counts as a denial.
    await asked(execute("echo 1 > three"), "proceed_always_server", true);
    expect(await exists(file("three"))).toBe(false);

    // Always: the level rises, and Droid does not ask for the next command of that risk.
    await asked(execute("echo 1 > four"), "proceed_always");
    expect(droid.settings.autonomy).toBe("medium");
    await asked(execute("echo 1 > five"), "cancel", false);
    expect(requests).toEqual([]);
    expect(await exists(file("five"))).toBe(true);
  });

  it("plans in spec mode, and leaves it as the answer requests", async () => {
    const { model, start } = await stage(version);
    const droid = await start({ interactionMode: "spec", autonomy: "off" });
    expect(droid.settings.interactionMode).toBe("spec");
    const plan = { plan: "## A\n## B", title: "Two ways", optionNames: ["A", "B"] };
    const submitPlan = async (
      answer: DroidPermissionAnswer,
    ): Promise<DroidPermissionRequest | undefined> => {
      let asked: DroidPermissionRequest | undefined;
      model.push([text("planning"), toolCall("ExitSpecMode", plan)]);
      if (answer !== "cancel") model.push(text("building"));
      const onPermission = (request: DroidPermissionRequest): DroidPermissionAnswer => {
        asked = request;
        return answer;
      };
      const { result } = await play(droid.prompt("plan it", { onPermission }));
      expect(result.stopReason).toBe("completed");
      return asked;
    };

    const asked = await submitPlan("cancel");
    expect(asked?.toolUses[0]?.details).toEqual({ kind: "exit_spec_mode", ...plan });
    const values = asked?.options.map(({ value }) => value);
    expect(values).toEqual(
      expect.arrayContaining(["proceed_once", "proceed_auto_run_high", "cancel"]),
    );
    expect(values?.includes("proceed_new_session")).toBe(isNew);
    expect(droid.settings.interactionMode).toBe("spec");

    await submitPlan({ option: "proceed_once", comment: "take B" });
    expect(droid.settings).toMatchObject({ interactionMode: "auto", autonomy: "off" });

    for (const level of ["low", "medium", "high"] as const) {
      await droid.updateSettings({ interactionMode: "spec", autonomy: "off" });
      await submitPlan(`proceed_auto_run_${level}`);
      expect(droid.settings).toMatchObject({ interactionMode: "auto", autonomy: level });
    }

    if (!isNew) return;
    for (const [option, autonomy] of [
      ["proceed_new_session", "off"],
      ["proceed_new_session_low", "low"],
      ["proceed_new_session_medium", "medium"],
      ["proceed_new_session_high", "high"],
    ] as const) {
      const before = droid.sessionId;
      await droid.updateSettings({ interactionMode: "spec", autonomy: "off" });
      await submitPlan(option);
      expect(droid.sessionId).not.toBe(before);
      expect(droid.settings).toMatchObject({ interactionMode: "auto", autonomy });
    }
    model.push(text("still here"));
    expect((await play(droid.prompt("and now"))).text).toBe("still here");
  });

  it("starts MCP servers with their environment, or reports them as unsupported", async () => {
    const { home, model, start } = await stage(version);
    const server = await writeMcpServer(home.workspace);
    const mcpServers = [
      { name: "tiny", command: process.execPath, args: [server], env: { FOO: "bar" } },
      { name: "broken", command: join(home.workspace, "no-such-command") },
    ];
    const droid = await start({ autonomy: "off", mcpServers });
    // On a busy machine 0.215 may respond before the server has connected.
    const isConnected = async (): Promise<boolean> =>
      (await droid.refreshMcpServers())[0]?.status !== "failed";
    expect(await eventually(isConnected, 20_000)).toBe(true);
    expect(droid.mcpServers).toEqual(
      isNew
        ? [
            { name: "tiny", status: "connected", tools: ["echo", "env"] },
            { name: "broken", status: "failed", tools: [] },
          ]
        : [
            { name: "tiny", status: "unsupported", tools: [] },
            { name: "broken", status: "unsupported", tools: [] },
          ],
    );
    // The servers are not written to any file.
    expect(await exists(join(home.home, ".factory", "mcp.json"))).toBe(false);
    expect(await exists(join(home.workspace, ".factory", "mcp.json"))).toBe(false);
    if (!isNew) return;
    model.push([toolCall("tiny___env", {})], text("done"));
    let details: unknown;
    const { events } = await play(
      droid.prompt("call it", {
        onPermission: ({ toolUses }) => {
          details = toolUses[0]?.details;
          return "proceed_once";
        },
      }),
    );
    const result = events.find((event) => event.type === "tool_result");
    expect(result).toMatchObject({ isError: false, content: "FOO=bar" });
    expect(details).toMatchObject({
      kind: "mcp_tool",
      serverName: "tiny",
      actualToolName: "env",
    });
  });
});
