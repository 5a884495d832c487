export { sanitise, sanitiseJson, sanitiseLine, Sanitiser } from "../../../wire/index.ts";
