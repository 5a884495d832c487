import type { SubjectLink } from "../../harness/link.ts";
import { shown } from "../../harness/reply.ts";
import { evidence } from "../agent-check.ts";
import type { AgentCase } from "../case.ts";
import { open2 } from "./turns.ts";

const REQUEST = { jsonrpc: "2.0", method: "_dragoman/batch", params: {} };

/** Arrays, each with the requirement that records the reply. The sources do not agree about them. */
const BATCHES: readonly { readonly ids: readonly string[]; readonly batch: readonly unknown[] }[] =
  [
    { ids: ["ACP-BATCH-201"], batch: [] },
    { ids: ["ACP-BATCH-202"], batch: [REQUEST, REQUEST] },
    { ids: ["ACP-BATCH-203"], batch: [7, REQUEST] },
    {
      ids: ["ACP-BATCH-204", "ACP-BATCH-205"],
      batch: [REQUEST, { jsonrpc: "2.0", method: "_dragoman/other", params: {} }],
    },
  ];

/** The lines that came after a position, except the answer to the barrier. */
async function repliesAfter(link: SubjectLink, after: number): Promise<string> {
  const isAlive = await link.barrier();
  const lines = link.received(after).filter(({ message }) => {
    const isAnswer = message.kind === "result" || message.kind === "error";
    return message.kind === "none" || (isAnswer && message.id === null);
  });
  const words = lines.length === 0 ? "no reply" : lines.map(({ value }) => shown(value)).join(", ");
  return isAlive ? words : `${words}; the agent ${link.end?.how ?? "answers nothing anymore"}`;
}

const batches: AgentCase = {
  name: "v2/batches",
  ids: BATCHES.flatMap(({ ids }) => ids),
  process: "fresh",
  needs: "none",
  run: async (check) => {
    for (const { ids, batch } of BATCHES) {
      const { link } = await open2(check);
      const after = await link.sendRaw(`${JSON.stringify(batch)}\n`);
      const words = await repliesAfter(link, after);
      for (const id of ids) check.pass(id, words, evidence(link, after + 1));
    }
  },
};

const extensions: AgentCase = {
  name: "v2/extensions",
  ids: ["ACP-EXT-201", "ACP-EXT-203"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    const { link } = await open2(check);
    const n = link.notify("_dragoman/notice", {}, true);
    const words = await repliesAfter(link, n);
    check.judge("ACP-EXT-201", words === "no reply", "ignored", {
      expected: "no reply to an unknown notification, and an answer to the next request",
      actual: words,
      frames: evidence(link, n),
    });
    if (link.end) return;
    const protocol = link.notify("$/dragoman", {}, true);
    check.pass("ACP-EXT-203", await repliesAfter(link, protocol), evidence(link, protocol));
  },
};

export const message2Cases: readonly AgentCase[] = [batches, extensions];
