import * as v from "valibot";
import { expect, expectTypeOf, it } from "vitest";
import {
  AnswerMismatchError,
  type Session,
  TurnIncompleteError,
  typedAnswer,
} from "../../../src/entries/dragoman.ts";
import { connect, endTurn, FakeAgent } from "../fake-agent.ts";

const schema = v.object({ city: v.string() });

/** A session of an agent that gives these answers in order, and the prompts it got. */
async function answering(
  ...answers: readonly string[]
): Promise<{ session: Session; prompts: string[]; close: () => Promise<void> }> {
  const prompts: string[] = [];
  const agent: FakeAgent = new FakeAgent({
    "session/prompt": ({ sessionId, prompt }) => {
      const id = String(sessionId);
      void agent.say(id, "let me look");
      void agent.update(id, { sessionUpdate: "tool_call", toolCallId: "1", title: "look" });
      void agent.say(id, answers[prompts.length] ?? "");
      prompts.push(JSON.stringify(prompt));
      return answers[prompts.length - 1] === "" ? { stopReason: "refusal" } : endTurn;
    },
  });
  const client = await connect(agent);
  return {
    session: await client.newSession({ cwd: "/project" }),
    prompts,
    close: async () => {
      await client.close();
    },
  };
}

it("gives a typed answer, from the text after the last tool call", async () => {
  const { session, prompts, close } = await answering('{"city": "Rome"}');
  const answer = await typedAnswer(session, ["Which city?"], { schema });
  expectTypeOf(answer.value).toEqualTypeOf<{ city: string }>();
  expect(answer).toMatchObject({ value: { city: "Rome" }, attempts: 1 });
  expect(answer.result.stopReason).toBe("end_turn");
  expect(prompts).toHaveLength(1);
  expect(prompts[0]).toContain("Which city?");
  await close();
});

it("lets the agent correct an answer twice, and then rejects", async () => {
  const { session, prompts, close } = await answering("Rome", '{"city": 1}', '{"city": "Rome"}');
  expect(await typedAnswer(session, "Which city?", { schema })).toMatchObject({ attempts: 3 });
  expect(prompts[1]).toContain("not valid JSON");
  expect(prompts[2]).toContain("city: ");
  expect(prompts[2]).not.toContain("Which city?");
  await close();
  const other = await answering("1", "2", "3", "4");
  const failed = typedAnswer(other.session, "Which city?", { schema });
  await expect(failed).rejects.toThrow(AnswerMismatchError);
  await expect(failed).rejects.toMatchObject({ attempts: 3, answer: "3" });
  await other.close();
});

it("rejects if a turn ends without an answer", async () => {
  const { session, close } = await answering("");
  const failed = typedAnswer(session, "Which city?", { schema });
  await expect(failed).rejects.toThrow(TurnIncompleteError);
  await expect(failed).rejects.toMatchObject({
    code: "turn_incomplete",
    result: { stopReason: "refusal" },
  });
  await close();
});
