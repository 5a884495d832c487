const at = process.argv.indexOf("--defect");
const chosen = at === -1 ? undefined : process.argv[at + 1];

/** Whether this process has the defect. */
export function defect(name) {
  return chosen === name;
}
