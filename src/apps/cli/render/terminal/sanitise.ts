export { sanitise, sanitiseJson, sanitiseLine, Sanitiser } from "../../../../base/index.ts";
