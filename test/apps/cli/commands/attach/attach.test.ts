import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createHub, type Hub } from "../../../../../src/host/hub/index.ts";
import { listenRemote, type RemoteServer } from "../../../../../src/transport/remote/index.ts";
import { type Channel, openProcess } from "../../../../../src/transport/wire/index.ts";
import { AGENT } from "../../support/bin.ts";
import { events } from "../../support/run.ts";
import { buildWarmBin, warm, type WarmUser, warmUser } from "../../support/warm.ts";
import { builtBin, expectRefused } from "../setup.ts";

const bin = builtBin(buildWarmBin);
let user: WarmUser;
beforeEach(async () => {
  user = await warmUser(bin);
});
afterEach(() => user.remove());

describe("dragoman attach without a terminal", () => {
  it("lists the sessions", async () => {
    await expectRefused(user.run(["attach"]), "no hub is running", 0);
    await user.run(warm("hello"));
    const { out } = await user.run(["attach"]);
    expect(out).toMatch(
      /^SESSION +AGENT +STATE +CLIENTS +USED +FOLDER +TITLE\ns1 +node +idle +0 +just now /,
    );
    const [session] = events((await user.run(["attach", "-o", "events"])).out);
    expect(session).toMatchObject({ type: "shared_session", sessionId: "s1", isBusy: false });
  });

  it("sends the lines of a pipe as prompts, and leaves at their end", async () => {
    await user.run(warm("hello"));
    const { ended } = user.start(["attach", "s1"], {}, { stdin: "hello\nblocks\n" });
    const { code, out, err } = await ended;
    expect(code).toBe(0);
    expect(out).toBe('Hello, world\nHello, world\n[{"type":"text","text":"blocks"}]\n');
    expect(err).toBe("[prompt] hello\n");
  });

  it("speaks version 2 with a session whose agent does", async () => {
    await user.run(["--warm", "1m", "-a", "demo", "--protocol", "2", "-o", "simple", "hello"]);
    const [session] = events((await user.run(["attach", "-o", "events"])).out);
    const stdin = "what is this?\n/usage\n";
    const { ended } = user.start(["attach", String(session?.["sessionId"])], {}, { stdin });
    const { code, out } = await ended;
    expect(code).toBe(0);
    expect(out.match(/has no README or manifest/g)).toHaveLength(2);
  });

  it("follows without input until the hub ends", async () => {
    await user.run(warm("hello"));
    const run = user.start(["attach", "s1"]);
    await run.io.out.waitFor("Hello, world");
    await user.run(["hub", "stop"]);
    await expectRefused(run.ended, /^the hub has ended, and the session with it/, 4);
  });

  it("fails with code 4 if there is no such session, and no hub", async () => {
    await expectRefused(user.run(["attach", "s1"]), "no hub is running", 4);
    await user.run(warm("hello"));
    await expectRefused(user.run(["attach", "x"]), "no session x is open", 4);
    expect((await user.run(["attach", "a", "b"])).code).toBe(2);
    expect((await user.run(["attach", "--token-file", "x"])).code).toBe(2);
  });

  it("leaves on SIGTERM, and the session stays", async () => {
    await user.run(warm("hello"));
    const run = user.start(["attach", "s1"]);
    await run.io.out.waitFor("Hello, world");
    run.io.signal("SIGTERM");
    expect((await run.ended).code).toBe(143);
    expect(await user.hubs()).toMatchObject([{ sessions: [{ sessionId: "s1", controllers: 0 }] }]);
  });
});

describe("dragoman attach to a server", () => {
  let hub: Hub;
  let server: RemoteServer<string>;
  const channels: Channel[] = [];
  beforeEach(async () => {
    const { cwd, home } = user.folders;
    hub = createHub({ log: { folder: home }, limits: { idleMs: 60_000 } });
    const open = () => openProcess({ command: process.execPath, args: [AGENT], cwd });
    const agent = { name: "scripted", key: "scripted", open };
    server = await listenRemote({ authorize: () => "me" });
    server.open((channel) => {
      channels.push(channel);
      hub.serve(channel, { agent, owner: "me", graceMs: 10_000 });
    });
  });
  afterEach(async () => {
    await hub.close();
    await server.close();
  });

  it("connects again when the connection is lost, and shows nothing twice", async () => {
    const { cwd } = user.folders;
    const there = ["--agent-url", server.webSocketUrl, "-C", cwd];
    await user.run([...there, "hello"]);
    const run = user.start(["attach", "s1", "--agent-url", server.webSocketUrl]);
    await run.io.out.waitFor("Hello, world");
    await channels.at(-1)?.close();
    await run.io.err.waitFor("was lost; connecting again");
    expect((await user.run([...there, "-c", "blocks"])).out).toContain("blocks");
    await run.io.out.waitFor("blocks");
    run.io.signal("SIGINT");
    const { code, out } = await run.ended;
    expect(code).toBe(130);
    expect(out.match(/Hello, world/g)).toHaveLength(1);
  });

  it("refuses a plain agent with a clear message", async () => {
    const { cwd } = user.folders;
    const plain = await listenRemote({ authorize: () => "me" });
    plain.open((channel) => {
      void openProcess({ command: process.execPath, args: [AGENT], cwd }).then((agent) => {
        channel.open((line) => void agent.send(line));
        agent.open((line) => void channel.send(line));
        void channel.closed.then(() => agent.close());
      });
    });
    const { code, last } = await user.run(["attach", "--agent-url", plain.webSocketUrl]);
    expect(code).toBe(2);
    expect(last).toMatch(/cannot share sessions: it does not advertise dragoman\/attach/);
    await plain.close();
  });
});
