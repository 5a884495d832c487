/** Calls to make, in order. Each message to the port makes one. */
const calls: (() => void)[] = [];
let post: (() => void) | undefined;

/** Calls a function soon, in a task of its own. A timer would wait for 4 ms once timers are nested. */
export function immediately(call: () => void): void {
  calls.push(call);
  post ??= poster();
  post();
}

function poster(): () => void {
  const next = (): void => calls.shift()?.();
  if (typeof MessageChannel !== "function") return () => void setTimeout(next, 0);
  const { port1, port2 } = new MessageChannel();
  port1.addEventListener("message", next);
  port1.start();
  return () => port2.postMessage(undefined);
}
