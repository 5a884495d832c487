import { SETTING_KEYS, VARIABLES } from "../../settings/keys.ts";

export function configHelp(): readonly string[] {
  const variables = Object.keys(VARIABLES);
  return [
    "  (nothing)        every setting, its value, and where it comes from",
    "  get KEY          print one value",
    "  set KEY VALUE    change a setting; comments in the file stay",
    "  unset KEY        remove a setting",
    "  list             print the settings in the file, one per line",
    "  path             print the path of the file",
    "",
    "Keys:",
    ...SETTING_KEYS.map(({ name, about, values }) => `  ${name.padEnd(28)}${about}: ${values}`),
    "",
    "Flags override variables, and those override the settings. The variables are",
    `${variables.slice(0, 3).join(", ")},`,
    `${variables.slice(3).join(" and ")}.`,
    "",
  ];
}
