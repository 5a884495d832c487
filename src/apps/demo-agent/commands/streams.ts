import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { PlanEntry } from "../../../protocol/acp/index.ts";
import { numberAt, type Command } from "./command.ts";

const MAX_UPDATES = 1_000_000;
const MAX_BYTES = 1_000_000;
const MAX_PAUSE_MS = 60_000;

const STEPS = ["Look around", "Do it", "Check it"];

export const streams: readonly Command[] = [
  {
    name: "plan",
    description: "Shows a plan and works through it",
    async run(turn) {
      for (let at = 0; at <= STEPS.length; at++) {
        const entries = STEPS.map((content, index): PlanEntry => ({
          content,
          priority: index === 0 ? "low" : index === 1 ? "high" : "medium",
          status: index < at ? "completed" : index === at ? "in_progress" : "pending",
        }));
        await turn.plan(entries);
      }
      await turn.say("That was the plan.");
    },
  },
  {
    name: "think",
    description: "Thinks aloud, then answers",
    hint: "what to think",
    async run(turn, rest) {
      for (const word of (rest || "Let me think about this.").split(" "))
        await turn.think(`${word} `);
      await turn.say("I have thought about it.");
    },
  },
  {
    name: "tool",
    description: "Runs a tool call through every status; `fail` makes it fail",
    hint: "fail",
    async run(turn, rest) {
      const path = `${turn.session.cwd}/example.txt`;
      const call = await turn.toolCall({
        title: "Count to three",
        name: "count",
        kind: "other",
        status: "pending",
        rawInput: { to: 3 },
      });
      await call.progress({ locations: [{ path, line: 1 }] });
      for (const n of [1, 2, 3]) {
        const text = Array.from({ length: n }, (_, i) => i + 1).join(" ");
        await call.update({ content: [{ type: "content", content: { type: "text", text } }] });
      }
      if (rest === "fail") await call.fail({ rawOutput: { error: "failed, as requested" } });
      else await call.complete({ rawOutput: { count: 3 } });
      await turn.say(rest === "fail" ? "The tool call failed." : "The tool call is complete.");
    },
  },
  {
    name: "image",
    description: "Sends an image, a sound, a link and an embedded resource",
    async run(turn) {
      await turn.say({ type: "text", text: "An image, a sound, a link and a resource:" });
      await turn.say({ type: "image", mimeType: "image/png", data: PIXELS });
      await turn.say({ type: "audio", mimeType: "audio/wav", data: TONE });
      await turn.say({
        type: "resource_link",
        name: "ACP",
        uri: "https://agentclientprotocol.com",
      });
      const text = "Embedded text.";
      const resource = { uri: "demo://embedded", mimeType: "text/plain", text };
      await turn.say({ type: "resource", resource });
    },
  },
  {
    name: "usage",
    description: "Reports tokens and cost",
    hint: "used size",
    async run(turn, rest) {
      const size = numberAt(rest, 1, 200_000, 10_000_000);
      const used = Math.min(numberAt(rest, 0, 12_345, 10_000_000), size);
      await turn.usage({ used, size, cost: { amount: 0.01, currency: "USD" } });
      await turn.say(`${used} of ${size} tokens are in use.`);
    },
  },
  {
    name: "slow",
    description: "Streams words slowly",
    hint: "words milliseconds",
    async run(turn, rest) {
      const words = numberAt(rest, 0, 20, MAX_UPDATES);
      const pause = numberAt(rest, 1, 200, MAX_PAUSE_MS);
      for (let i = 1; i <= words; i++) {
        await wait(pause, undefined, { signal: turn.signal });
        await turn.say(`${i} `);
      }
    },
  },
  {
    name: "flood",
    description: "Streams many updates as fast as the client reads them",
    hint: "updates bytes",
    async run(turn, rest) {
      const updates = numberAt(rest, 0, 1000, MAX_UPDATES);
      const bytes = numberAt(rest, 1, 16, MAX_BYTES);
      const filler = "x".repeat(bytes);
      for (let i = 1; i <= updates; i++) await turn.say(`${i} ${filler}\n`);
    },
  },
  {
    name: "notice",
    description: "Shows a notice",
    hint: "info, warning or error",
    needs: "session.notices",
    async run(turn, rest) {
      const severity = rest === "warning" || rest === "error" ? rest : "info";
      await turn.notice({ severity, title: "A notice", description: "It disappears by itself." });
      await turn.say("I sent a notice.");
    },
  },
  {
    name: "compact",
    description: "Reports a compaction from start to end",
    needs: "session.compaction",
    async run(turn) {
      const id = randomUUID();
      await turn.compaction(id, "in_progress");
      for (const text of ["We talked ", "about demos."]) {
        const content = { type: "text", text } as const;
        await turn.update({ sessionUpdate: "compaction_summary_chunk", compactionId: id, content });
      }
      await turn.compaction(id, "completed", { summary: "We talked about demos." });
      await turn.say("The conversation is compacted (not really).");
    },
  },
];

/** A PNG of 16 by 16 pixels, in base64. */
const PIXELS =
  "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAABlklEQVR42hXR4RiFMQiG4Q9hCEMIYQghhDCEEIbwII" +
  "QQQgghDOHs9Lu7662+72N8zA/5WB/6YR/7wz/OBx/xkR/10R/34/sGYzAHMlgDHdhgD3xwBgxikIMa9OCOByZjMicy" +
  "WROd2GRPfHImTGKSk5r05M4HhCFMQYQlqGDCFlw4AkIIKZTQwpUHFmMxF7JYC13YYi98cRYsYpGLWvTirgeUoUxFlK" +
  "WoYspWXDkKSiiplNLK1QeMYUxDjGWoYcY23DgGRhhplNHGtQc2YzM3slkb3dhmb3xzNmxik5va9ObuB5zhTEec5ahj" +
  "znbcOQ5OOOmU0871Bw7jMA9yWAc92GEf/HAOHOKQhzr04Z4H/s95534HfCd5S77YL8gb/Zr/FZBQ0HDf679gBDOQYA" +
  "UaWLADD0782yPIoIIObjyQjGQmkqxEE0t24snJ//BIMqmkk5sPFKOYhRSr0MKKXXhx6h8liiyq6OLWA81oZiPNarSx" +
  "ZjfenP4Hjyabarq5/cBlXOZFLuuiF7vsi1/O/a8Zl7zUpS/38gNq4ZAQAX6pcwAAAABJRU5ErkJggg==";

/** A WAV with 20 ms of the note A, in base64. */
const TONE =
  "UklGRsQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YaAAAACAob/W4uLXwqSDYUIrHhwmO1h5m7rS4O" +
  "PaxqqJZ0cvHxwkN1JzlbXP3+Pcy7CPbU0yIRwhMk1tj7DL3OPfz7WVc1I3JBwfL0dniarG2uPg0rqbeVg7JhweK0Jh" +
  "g6TC1+Li1r+hf15AKR0dKD1bfJ691OHj2cSnhmRFLR8cJTlVdpi40ODj28itjGpKMCAcIzRPcJKyzd7k3s2yknBPNC" +
  "Mc";
