import { isJsonObject } from "../../../wire/index.ts";
import type { SubjectLink } from "../../harness/link.ts";
import { describeReply, isAnswered, type CallReply } from "../../harness/reply.ts";
import { type AgentCheck, CHECKER_INFO, evidence } from "../agent-check.ts";
import type { AgentCase } from "../case.ts";

/** The first start writes settings and may greet; the second finds them. */
const firstBytes: AgentCase = {
  name: "framing/first-bytes",
  ids: ["DRA-FRAME-01"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    for (const home of ["an empty home", "the same home again"]) {
      const link = await check.start();
      await check.initialize(link);
      await link.barrier();
      const lines = link.received();
      const noise = lines.find(({ message }) => message.kind === "none");
      check.judge("DRA-FRAME-01", !noise, `${home}: ${lines.length} lines, all messages`, {
        expected: `nothing but messages, with ${home}`,
        actual: `a line that ${noise?.message.kind === "none" ? noise.message.problem : ""}`,
        frames: noise ? [noise] : [],
      });
      await link.transport.end();
    }
  },
};

/** A name with characters of two, three and four bytes, so that single bytes are never whole. */
const WIDE_INFO = { ...CHECKER_INFO, name: "dragoman-chéck-✓-😀" };

const pieces: AgentCase = {
  name: "framing/pieces",
  ids: ["DRA-FRAME-02"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    const link = await check.start();
    const params =
      check.run.protocol === 1
        ? { protocolVersion: 1, clientCapabilities: {}, clientInfo: WIDE_INFO }
        : { protocolVersion: 2, capabilities: {}, info: WIDE_INFO };
    const line = JSON.stringify({ jsonrpc: "2.0", id: "bytes", method: "initialize", params });
    const after = link.frames.length;
    await link.sendRaw("", line);
    for (const byte of Buffer.from(`${line}\n`)) {
      await link.transport.write(Uint8Array.of(byte));
      await new Promise(setImmediate);
    }
    const first = await link.reply("bytes", { after });
    check.judge("DRA-FRAME-02", first.kind === "result", "byte by byte: answered", {
      expected: "initialize succeeds when it arrives byte by byte",
      actual: describeReply(first),
      frames: evidence(link, first),
    });
    const two = ["one", "two"].map((id) =>
      JSON.stringify({ jsonrpc: "2.0", id, method: "_dragoman/pair", params: {} }),
    );
    const before = await link.sendRaw(`${two.join("\n")}\n`);
    const replies = await repliesTo(link, ["one", "two"], before);
    const missing = replies.filter((reply) => !isAnswered(reply));
    check.judge("DRA-FRAME-02", missing.length === 0, "two requests in one write: both answered", {
      expected: "two responses to two requests in one write",
      actual: `${2 - missing.length} responses`,
      frames: evidence(link, ...replies),
    });
  },
};

function repliesTo(
  link: SubjectLink,
  ids: readonly string[],
  after: number,
): Promise<readonly CallReply[]> {
  return Promise.all(ids.map((id) => link.reply(id, { after })));
}

const lineEnds: AgentCase = {
  name: "framing/line-ends",
  ids: ["DRA-FRAME-03"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    const { link } = await check.open({});
    await judgeLine(check, link, "\n\n", "blank lines");
    await judgeLine(check, link, "", "a carriage return before the newline");
  },
};

async function judgeLine(
  check: AgentCheck,
  link: SubjectLink,
  before: string,
  what: string,
): Promise<void> {
  const end = before === "" ? "\r\n" : "\n";
  const id = `line-${link.frames.length}`;
  const line = JSON.stringify({ jsonrpc: "2.0", id, method: "_dragoman/line", params: {} });
  const after = await link.sendRaw(`${before}${line}${end}`, line);
  const reply = await link.reply(id, { after });
  check.judge("DRA-FRAME-03", isAnswered(reply), `${what}: answered`, {
    expected: `a response after ${what}`,
    actual: describeReply(reply),
    frames: [...evidence(link, reply), ...complaints(link, after)],
  });
}

/** Errors without an id, which agents send about lines that they cannot read. */
function complaints(link: SubjectLink, after: number): ReturnType<typeof evidence> {
  return link
    .received(after)
    .filter(({ value }) => isJsonObject(value) && value["id"] === null && "error" in value);
}

export const framingCases: readonly AgentCase[] = [firstBytes, pieces, lineEnds];
