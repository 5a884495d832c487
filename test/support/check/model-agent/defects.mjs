const chosenDefect = valueOf("--defect");
const chosenVariant = valueOf("--variant");

function valueOf(flag) {
  const at = process.argv.indexOf(flag);
  return at === -1 ? undefined : process.argv[at + 1];
}

/** Whether this process has the defect. */
export function defect(name) {
  return chosenDefect === name;
}

/** Whether this process is right in another way than usual. */
export function variant(name) {
  return chosenVariant === name;
}
