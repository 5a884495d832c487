/** Work took longer than its time limit, and was stopped. */
export class TimeLimitError extends Error {
  override readonly name = "TimeLimitError";
}
