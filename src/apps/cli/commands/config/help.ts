import { SETTING_KEYS, VARIABLES } from "../../settings/keys.ts";

export function configHelp(): readonly string[] {
  const variables = Object.keys(VARIABLES);
  return [
    "Keys:",
    ...SETTING_KEYS.map(({ name, about, values }) => `  ${name.padEnd(28)}${about}: ${values}`),
    "",
    "Flags override variables, and those override the settings. The variables are",
    `${variables.slice(0, 3).join(", ")},`,
    `${variables.slice(3).join(" and ")}.`,
  ];
}
