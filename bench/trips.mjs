// Makes the round trips, in the same way for every variant.
export async function makeTrips(mode, count, call) {
  const params = { sessionId: "one", value: "ask" };
  if (mode === "sequential") {
    for (let n = 0; n < count; n++) await call("echo", params);
    return;
  }
  let left = count;
  const worker = async () => {
    while (left-- > 0) await call("echo", params);
  };
  await Promise.all(Array.from({ length: 64 }, worker));
}
