/** The working folder of this process. */
export function currentFolder(): string {
  return process.cwd();
}
