import { expect, it } from "vitest";
import { Backlog } from "../../../src/transport/rpc/inbox.ts";
import { deferred } from "../../../src/base/index.ts";

function backlog() {
  const state = { held: 0 };
  const counted = new Backlog(() => {
    state.held++;
    return () => void state.held--;
  }, 100);
  return { state, counted };
}

it("holds reading above the limit until half of the characters are read", async () => {
  const { state, counted } = backlog();
  const sends = [deferred(), deferred(), deferred()] as const;
  for (const { promise } of sends) counted.add(promise, 40);
  expect({ held: state.held, chars: counted.chars }).toEqual({ held: 1, chars: 120 });
  sends[0].resolve();
  await sends[0].promise;
  expect({ held: state.held, chars: counted.chars }).toEqual({ held: 1, chars: 80 });
  sends[1].resolve();
  await sends[1].promise;
  expect({ held: state.held, chars: counted.chars }).toEqual({ held: 0, chars: 40 });
});

it("counts the sends that wait for one pipe together, and nothing while the pipe has room", async () => {
  const { state, counted } = backlog();
  const full = deferred();
  for (let n = 0; n < 11; n++) counted.add(full.promise, 10);
  expect({ held: state.held, chars: counted.chars }).toEqual({ held: 1, chars: 110 });
  full.resolve();
  await full.promise;
  counted.add(full.promise, 1000);
  expect({ held: state.held, chars: counted.chars }).toEqual({ held: 0, chars: 0 });
});

it("forgets what could not be sent", async () => {
  const { state, counted } = backlog();
  const broken = deferred();
  counted.add(broken.promise, 101);
  broken.reject(new Error("closed"));
  await broken.promise.catch(() => {});
  expect({ held: state.held, chars: counted.chars }).toEqual({ held: 0, chars: 0 });
});
