import { request } from "node:http";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type InspectedSession,
  type InspectServer,
  serveInspector,
} from "../../../../src/apps/inspector/index.ts";
import { parseRecording, recorder } from "../../../../src/transport/wire/index.ts";
import { CONNECTION_HEADERS, sendRaw, spellingsOf } from "../../../support/raw-request.ts";
import { PAGE, pageHeaders, send, tokenOf } from "./http.ts";

const HEADER = { format: "dragoman", isTimed: true, startedAt: "2026-01-01T00:00:00Z" } as const;

let server: InspectServer;
beforeEach(async () => {
  server = await serveInspector({ page: PAGE });
});
afterEach(() => server.close());

function session(count = 0, name = "a.jsonl"): InspectedSession {
  const added = server.add({ name });
  added.start(HEADER);
  frames(added, count);
  return added;
}

function frames(to: InspectedSession, count: number): void {
  const start = to.log.entries;
  for (let n = start; n < start + count; n++)
    to.add({ ms: n, direction: "in", line: JSON.stringify({ jsonrpc: "2.0", method: `m${n}` }) });
}

/** The numbers of the frames in a text, which may end in the middle of a line. */
function numbersIn(text: string): number[] {
  return [...text.matchAll(/"m(\d+)\\"/g)].map(([, n]) => Number(n));
}

describe("the address", () => {
  it("is on the loopback address, with 256 random bits in the fragment, which is not sent", async () => {
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}$/);
    const other = await serveInspector({ page: PAGE });
    expect(tokenOf(other)).not.toBe(tokenOf(server));
    await other.close();
  });

  it("cannot be reached on other addresses of the machine", async () => {
    const refused = new Promise((resolve) => {
      connect({ host: "127.0.0.2", port: server.port }).on("error", resolve);
    });
    expect(await refused).toMatchObject({ code: "ECONNREFUSED" });
  });

  it("fails with the port in the message if that is taken", async () => {
    await expect(serveInspector({ page: PAGE, port: server.port })).rejects.toThrow(
      String(server.port),
    );
  });

  it("has a link for a browser's command line, which works once and holds no token", async () => {
    const link = new URL(server.openUrl());
    expect(link.href).not.toContain(tokenOf(server));
    const path = link.pathname + link.search;
    const first = await send(server, path, { "sec-fetch-site": "none" });
    expect(first).toMatchObject({ status: 303, headers: { location: server.url } });
    expect(await send(server, path)).toMatchObject({ status: 403 });
    expect(await send(server, "/open?code=guess")).toMatchObject({ status: 403 });
    expect((await send(server, "/open?code=guess")).headers.location).toBeUndefined();
  });
});

const SAFE = {
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

describe("a response", () => {
  it("is the page for anyone, with a policy that allows only its own script and style", async () => {
    session(3, "secret-name");
    const { status, headers, text } = await send(server, "/");
    expect({ status, headers }).toMatchObject({ status: 200, headers: SAFE });
    expect(text).toBe(PAGE);
    const policy = headers["content-security-policy"] ?? "";
    expect(policy).toMatch(/default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-/);
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|\*/);
  });

  it.each([
    ["/api/sessions", 200],
    ["/api/recording?session=1", 200],
    ["/api/findings?session=1", 200],
    ["/api/fields?session=1", 200],
    ["/api/recording?session=7", 404],
    ["/api/other", 404],
    ["/favicon.ico", 404],
    ["/../../etc/passwd", 404],
    ["/api/recording?session=1&from=4", 400],
    ["/api/recording?session=1&from=-1", 400],
    ["/api/recording?session=1&from=x", 400],
  ])("to %s is not kept, not guessed at and not shared with other pages", async (path, status) => {
    session(3).log.end();
    const answer = await send(server, path, pageHeaders(server));
    expect(answer).toMatchObject({ status, headers: SAFE });
    const names = Object.keys(answer.headers);
    expect(names.filter((name) => name.startsWith("access-control-"))).toEqual([]);
  });

  it.each(["/api/sessions", "/api/recording?session=1", "/api/findings?session=1"])(
    "to %s holds nothing without the token, from another host or from another origin",
    async (path) => {
      session(3, "secret-name").log.end();
      const { authorization = "" } = pageHeaders(server);
      for (const [headers, status] of [
        [{}, 401],
        [{ authorization: `Bearer ${"A".repeat(43)}` }, 401],
        [{ authorization, host: `evil.example:${server.port}` }, 403],
        [{ authorization, origin: "https://evil.example" }, 403],
        [{ authorization, "sec-fetch-site": "cross-site" }, 403],
      ] as const) {
        const answer = await send(server, path, headers);
        expect(answer.status).toBe(status);
        expect(answer.text).not.toMatch(/secret-name|jsonrpc/);
      }
    },
  );

  it.each(["/", "/api/sessions"])("to %s is only for GET", async (path) => {
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "HEAD"]) {
      const answer = await send(server, path, pageHeaders(server), method);
      expect(answer).toMatchObject({ status: 405, headers: { ...SAFE, allow: "GET" } });
    }
  });

  const targets = ["/api/sessions", "/api/recording?session=1", "/api/fields?session=1"];
  it.each(targets.flatMap(spellingsOf))(
    "to %s holds nothing, with or without the token, and with an upgrade",
    async (target) => {
      session(3, "secret-name").log.end();
      const { authorization = "" } = pageHeaders(server);
      for (const connection of Object.values(CONNECTION_HEADERS)) {
        for (const [status, lines] of [
          [401, []],
          [404, [`Authorization: ${authorization}`]],
        ] as const) {
          const headers = [...lines, ...connection];
          const answer = await sendRaw(server.port, `GET ${target} HTTP/1.1`, headers);
          // Some of them are no HTTP at all.
          expect([400, status]).toContain(answer.status);
          expect(answer.text).not.toMatch(/secret-name|jsonrpc|"in"/);
        }
      }
    },
  );

  it.each(spellingsOf("/open"))("to %s does not use up a link", async (path) => {
    const code = new URL(server.openUrl()).search;
    const headers = CONNECTION_HEADERS.plain;
    const { text } = await sendRaw(server.port, `GET ${path}${code} HTTP/1.1`, headers);
    expect(text).not.toContain(tokenOf(server));
    expect(await send(server, `/open${code}`)).toMatchObject({ status: 303 });
  });

  it("reveals nothing about the server to a request without a host", async () => {
    const text = await new Promise<string>((resolve) => {
      let all = "";
      const socket = connect({ host: "127.0.0.1", port: server.port }, () =>
        socket.write("GET / HTTP/1.0\r\n\r\n"),
      );
      socket.setEncoding("utf8").on("data", (chunk: string) => (all += chunk));
      socket.on("close", () => resolve(all));
    });
    expect(text).toMatch(/^HTTP\/1\.1 403 /);
    expect(text).not.toContain("<html");
  });
});

describe("the sessions", () => {
  it("are listed with their losses", async () => {
    const first = session(2);
    first.losses = [{ code: "times", text: "the format has no times" }];
    first.log.end();
    session(1, "b.jsonl");
    const { text } = await send(server, "/api/sessions", pageHeaders(server));
    expect(JSON.parse(text)).toEqual({
      sessions: [
        {
          id: "1",
          name: "a.jsonl",
          live: false,
          losses: [{ code: "times", text: "the format has no times" }],
          format: "dragoman",
          isTimed: true,
          redacted: true,
          hidden: 0,
          entries: 2,
        },
        expect.objectContaining({ id: "2", name: "b.jsonl", live: true, entries: 1 }),
      ],
    });
  });

  it("are limited: of a hundred and more, those that ended first are forgotten", async () => {
    session(0, "live");
    for (let n = 0; n < 120; n++) session(0, `ended ${n}`).log.end();
    const names = server.sessions.map(({ name }) => name);
    expect(names).toHaveLength(100);
    expect(names.slice(0, 2)).toEqual(["live", "ended 21"]);
  });
});

describe("secrets", () => {
  const key = `sk-ant-${"a1B2".repeat(12)}`;
  const url = "https://h/mcp?key=hunter22&x=1";
  const hostile = JSON.stringify({
    jsonrpc: "2.0",
    method: "x",
    params: { env: [{ name: "KEY", value: "hunter22" }], apiKey: "k", text: key, url },
  });

  it("are removed from files, wherever they are, and counted", async () => {
    const added = server.add({ name: "a" });
    added.start({ ...HEADER, agent: { name: "x", command: ["x", "--token", "abcdefgh", url] } });
    added.add({ ms: 0, direction: "out", line: hostile });
    added.add({ ms: 1, event: "stderr", text: `token=${key}\n` });
    const decision = { what: `run ${key}`, outcome: "denied", by: "user", hint: key } as const;
    added.add({ ms: 2, event: "permission", ...decision, question: key, description: key });
    added.add({ ms: 3, event: "note", text: key });
    added.add({ ms: 4, event: "unknown", raw: { ms: 4, event: "new", token: "hunter22", key } });
    added.log.end();
    const { text } = await send(server, "/api/recording?session=1", pageHeaders(server));
    expect(text).not.toMatch(/hunter22|sk-ant|abcdefgh/);
    expect(parseRecording(text).header.redacted).toBe(true);
    expect(added.info).toMatchObject({ redacted: true, hidden: expect.any(Number) });
    expect(added.info.hidden).toBeGreaterThanOrEqual(8);
  });

  it("are removed from live sessions by the recorder, and counted", () => {
    const added = server.add({ name: "a" });
    const record = recorder((line) => added.write(line));
    record({ at: 0, direction: "out", line: hostile });
    expect(added.info).toMatchObject({ redacted: true, hidden: 4 });
  });

  it("stay if the user asks for it, and the list says so", async () => {
    const added = server.add({ name: "a", keepSecrets: true });
    added.start(HEADER);
    added.add({ ms: 0, direction: "out", line: hostile });
    added.log.end();
    const { text } = await send(server, "/api/recording?session=1", pageHeaders(server));
    expect(text).toContain("hunter22");
    expect(parseRecording(text).header.redacted).toBe(false);
    expect(added.info.redacted).toBe(false);
  });
});

describe("hostile content", () => {
  it("is sent as data that no browser takes for a page", async () => {
    const added = server.add({ name: "</script><script>alert(1)</script>" });
    added.start(HEADER);
    added.add({ ms: 0, direction: "in", line: "<img src=x onerror=alert(1)>\u202e" });
    added.log.end();
    const recording = await send(server, "/api/recording?session=1", pageHeaders(server));
    expect(recording.headers["content-type"]).toBe("application/x-ndjson");
    expect(parseRecording(recording.text).lines[0]?.line).toBe(
      "<img src=x onerror=alert(1)>\u202e",
    );
    const list = await send(server, "/api/sessions", pageHeaders(server));
    expect(list.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect((await send(server, "/")).text).not.toContain("alert");
  });
});

describe("findings", () => {
  it("are judged when the page asks, and again after more frames", async () => {
    const added = session();
    const ask = async (): Promise<{ rules: string[]; entries: number }> => {
      const { text } = await send(server, "/api/findings?session=1", pageHeaders(server));
      const { v, findings, entries } = JSON.parse(text);
      expect(v).toBe(1);
      return { rules: findings.map(({ rule }: { rule: string }) => rule), entries };
    };
    expect(await ask()).toEqual({ rules: [], entries: 0 });
    added.add({ ms: 0, direction: "in", line: "not a message" });
    const live = await ask();
    expect(live).toMatchObject({ entries: 1 });
    expect(live.rules).not.toEqual([]);
    added.add({
      ms: 1,
      direction: "out",
      line: '{"jsonrpc":"2.0","id":1,"method":"session/list"}',
    });
    added.log.end();
    const ended = await ask();
    expect(ended.rules).toContain("DRA-RPC-01");
    expect(await ask()).toEqual(ended);
    added.log.reopen();
    added.add({
      ms: 2,
      direction: "in",
      line: '{"jsonrpc":"2.0","id":1,"result":{"sessions":[]}}',
    });
    added.log.end();
    expect((await ask()).rules).not.toContain("DRA-RPC-01");
  });
});

/** Reads a stream until the test has seen enough. */
function follow(from: number) {
  let text = "";
  let seen = (): void => {};
  const sent = request({
    host: "127.0.0.1",
    port: server.port,
    path: `/api/recording?session=1&from=${from}`,
    headers: pageHeaders(server),
  });
  sent.on("error", () => {});
  sent.on("response", (response) => {
    response.setEncoding("utf8").on("error", () => {});
    response.on("data", (chunk: string) => {
      text += chunk;
      seen();
    });
  });
  sent.end();
  return {
    numbers: () => numbersIn(text),
    until: (count: number) =>
      new Promise<void>((resolve) => {
        seen = () => {
          if (numbersIn(text).length >= count) resolve();
        };
        seen();
      }),
    stop: () => sent.destroy(),
  };
}

describe("a live recording", () => {
  it("stays open, and a page that comes back gets every frame once", async () => {
    const added = session(5);
    const first = follow(0);
    await first.until(5);
    frames(added, 3);
    await first.until(8);
    first.stop();
    frames(added, 4);
    const second = follow(8);
    await second.until(4);
    frames(added, 1);
    await second.until(5);
    expect([...first.numbers(), ...second.numbers()]).toEqual(
      Array.from({ length: 13 }, (_, n) => n),
    );
    second.stop();
  });

  it("waits for a session that has not begun", async () => {
    const added = server.add({ name: "a" });
    const reader = follow(0);
    added.start(HEADER);
    frames(added, 1);
    await reader.until(1);
    reader.stop();
  });

  it("begins with the header wherever it begins, and ends with the session", async () => {
    session(10).log.end();
    const { text } = await send(server, "/api/recording?session=1&from=7", pageHeaders(server));
    expect(numbersIn(text)).toEqual([7, 8, 9]);
    expect(parseRecording(text)).toMatchObject({ header: { version: 2 }, cut: undefined });
  });

  it("counts events too, so that none comes twice or never", async () => {
    const added = session(1);
    added.add({ ms: 1, event: "stderr", text: "first\n" });
    added.add({ ms: 2, event: "stderr", text: "second\n" });
    added.log.end();
    const { text } = await send(server, "/api/recording?session=1&from=2", pageHeaders(server));
    expect(parseRecording(text).events).toMatchObject([{ text: "second\n" }]);
  });

  it("delivers the rest to a page that reads when the server ends", async () => {
    const added = session(1);
    const reader = follow(0);
    await reader.until(1);
    frames(added, 1000);
    await server.close();
    await reader.until(1001);
  });
});
