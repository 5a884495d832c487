import { describe, expect, it, onTestFinished } from "vitest";
import type { HistoryTurn } from "../../../src/entries/droid.ts";
import {
  replay,
  type Replay,
  type ReplayedTurn,
  type TranscriptEntry,
} from "../../droid/replay.ts";
import { readTranscript, transcriptNames } from "../../droid/transcript.ts";
import {
  droidsOfLongTests,
  droidUnavailable,
  type DroidVersion,
} from "../../support/droid/install.ts";
import { openProcess } from "../../../src/entries/wire.ts";
import { type JsonObject, parseJsonObject } from "../../../src/base/index.ts";
import { everyDroid } from "../../support/suite.ts";
import { text } from "../../../src/conformance/scripted-model/index.ts";
import { expectAgain, playAgain } from "./captures.ts";
import { play, stage, watch } from "./harness.ts";
import { bySession, NOT_TURNS, scriptOf, SLOW } from "./scenario.ts";

const NO_TURN: ReplayedTurn = { prompt: "", events: [], outcome: "", interrupt: undefined };

const capturesOf = (version: DroidVersion): string[] =>
  transcriptNames.filter((name) => name.endsWith(`-${version}`));

// Part of `npm run test:all -- droid` only: `npm test` has to stay below ten minutes.

describe.skipIf(droidUnavailable() !== undefined || !everyDroid).each(droidsOfLongTests())(
  "the real Droid %s repeats its captures",
  (version) => {
    const captures = capturesOf(version);
    const turns = captures.filter((name) => !NOT_TURNS.test(name) && !SLOW.test(name));

    it.each(bySession(turns, readTranscript).map((names) => [names.join(", "), names] as const))(
      "%s",
      { timeout: 90_000 },
      (_, names) => playAgain(version, names),
    );

    it.each(captures.filter((name) => name.startsWith("protocol-errors")))(
      "%s",
      { timeout: 60_000 },
      async (name) => {
        const { process } = await stage(version);
        const { executable: command = "", cwd, env } = process;
        const format = ["--input-format", "stream-jsonrpc", "--output-format", "stream-jsonrpc"];
        const channel = await openProcess({ command, args: ["exec", ...format], cwd, env });
        onTestFinished(async () => void (await channel.close()));
        let responses: JsonObject[] = [];
        let wake = (): void => {};
        channel.open((line) => {
          const frame = parseJsonObject(line);
          if (frame?.["type"] === "response") responses.push(frame);
          wake();
        });
        for (const { sent, answers } of exchangesIn(readTranscript(name))) {
          responses = [];
          await channel.send(sent);
          while (responses.length < answers.length)
            await new Promise<void>((resolve) => (wake = resolve));
          expect(responses.map(answerOf)).toEqual(answers.map(answerOf));
        }
      },
    );

    it.each(captures.filter((name) => name.startsWith("compact-session")))(
      "%s",
      { timeout: 60_000 },
      async (name) => {
        const captured = await replay(readTranscript(name));
        const { start } = await stage(version, [], { fallback: text("done") });
        const droid = await start();
        for (const prompt of ["one", "two"]) await play(droid.prompt(prompt));
        const { newSessionId } = await droid.compact({ instructions: "be short" });
        await droid.switchTo(newSessionId);
        expect(droid.history).toEqual(captured.history);
      },
    );

    it.each(captures.filter((name) => name.startsWith("resume-load")))(
      "%s",
      { timeout: 90_000 },
      async (name) => {
        const captured = await replay(readTranscript(name));
        const scene = await stage(version);
        const droid = await scene.start({ autonomy: "off", onPermission: () => "proceed_once" });
        for (const { prompt, steps } of historyOf(captured)) {
          const turn = { ...NO_TURN, prompt: prompt?.text ?? "" };
          const wasKilled = steps.some((step) => step.type === "tool_call" && step.dangling);
          const script = scriptOf(turn, scene.home.workspace);
          scene.model.push(...(wasKilled ? script.slice(0, 1) : script));
          const running = droid.prompt(turn.prompt);
          if (!wasKilled) await running.result;
          else {
            await watch(running).until((event) => event.type === "tool_progress");
            process.kill(droid.pid ?? 0, "SIGKILL");
            await droid.closed;
          }
        }
        const loaded = await scene.load(droid.sessionId);
        expect(withoutIds(loaded.history)).toEqual(withoutIds(historyOf(captured)));
        await expectAgain({ ...scene, droid: loaded }, name, readTranscript(name));
      },
    );
  },
);

function historyOf({ history }: Replay): readonly HistoryTurn[] {
  return history as readonly HistoryTurn[];
}

/** Ids differ from run to run. */
function withoutIds(history: readonly HistoryTurn[]): unknown {
  const text = JSON.stringify(history, (key, value: unknown) =>
    key === "messageId" || key === "id" ? "" : value,
  );
  return JSON.parse(text);
}

interface Exchange {
  readonly sent: string;
  readonly answers: JsonObject[];
}

/** Each frame of the client, with the responses Droid sent before the next one. */
function exchangesIn(entries: readonly TranscriptEntry[]): Exchange[] {
  const exchanges: Exchange[] = [];
  for (const { dir, frame } of entries) {
    if (dir === "in") {
      const raw = frame["RAW"];
      exchanges.push({ sent: typeof raw === "string" ? raw : JSON.stringify(frame), answers: [] });
    } else if (frame["type"] === "response") exchanges.at(-1)?.answers.push(frame);
  }
  return exchanges;
}

function answerOf({ id, result, error }: JsonObject): unknown {
  return { id, result, error };
}
