/** Calls a function soon, in a task of its own. */
export function immediately(call: () => void): void {
  setImmediate(call);
}
