import { expect, it } from "vitest";
import { FieldCollector } from "../../../../src/apps/inspector/findings/fields.ts";
import { SessionModel } from "../../../../src/trace/index.ts";
import { Script } from "../sessions.ts";

it("collects the descriptions of the fields of each kind of frame", () => {
  const model = new SessionModel();
  const collector = new FieldCollector(model);
  const script = new Script().open().prompt(2).say("a").done(2);
  for (const entry of [...script.entries, { ms: 0, direction: "in", line: "noise" } as const]) {
    const frame = model.append(entry);
    if (frame) collector.saw(frame);
  }
  const { fields } = collector;
  expect(fields["session/update notification agent_message_chunk"]).toMatchObject({
    ".method": "The method to call.",
    ".params.update.content": expect.any(String),
  });
  expect(fields["session/prompt response "]).toMatchObject({
    ".result.stopReason": expect.any(String),
  });
});
