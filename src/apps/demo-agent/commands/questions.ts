import type { PermissionOption } from "../../../protocol/acp/index.ts";
import { explainMissing, type Command } from "./command.ts";

const CHOICES: readonly PermissionOption[] = [
  { optionId: "once", name: "Once", kind: "allow_once" },
  { optionId: "ever", name: "Always", kind: "allow_always" },
  { optionId: "no", name: "No", kind: "reject_once" },
  { optionId: "never", name: "Never", kind: "reject_always" },
];

/** Commands that ask the user. */
export const questions: readonly Command[] = [
  {
    name: "permission",
    description: "Asks for permission with one option of each kind, and reports the choice",
    async run(turn) {
      const answer = await turn.askPermission({
        title: "Do nothing at all",
        kind: "other",
        options: CHOICES,
      });
      const chosen = answer.outcome === "selected" ? `chose ${answer.optionId}` : "dismissed it";
      await turn.say(`You ${chosen}: ${answer.allowed ? "allowed" : "not allowed"}.`);
    },
  },
  {
    name: "ask",
    description: "Asks the user to fill in a form",
    async run(turn) {
      if (!turn.client.can("elicitation.form"))
        return await explainMissing(turn, "elicitation.form");
      const answer = await turn.elicit({
        message: "Tell me about your favourite colour.",
        schema: {
          title: "Colour",
          properties: {
            name: { type: "string", title: "Name", minLength: 1 },
            kind: { type: "string", title: "Kind", enum: ["warm", "cold"] },
            shades: { type: "integer", title: "Number of shades", minimum: 1, maximum: 50 },
            brightness: { type: "number", title: "Brightness", minimum: 0, maximum: 1 },
            loud: { type: "boolean", title: "Is it loud?", default: false },
            uses: {
              type: "array",
              title: "Uses",
              items: { type: "string", enum: ["walls", "clothes", "screens"] },
            },
          },
          required: ["name"],
        },
      });
      if (answer.action !== "accept") return await turn.say(`You answered ${answer.action}.`);
      await turn.say(`You answered:\n\n${JSON.stringify(answer.content, null, 2)}`);
    },
  },
  {
    name: "url",
    description: "Asks the user to open a URL, then reports that it is done",
    hint: "address",
    async run(turn, rest) {
      if (!turn.client.can("elicitation.url")) return await explainMissing(turn, "elicitation.url");
      const url = rest || "https://agentclientprotocol.com";
      const answer = await turn.elicitUrl({ message: "Please take a look at this page.", url });
      if (answer.action === "accept") await answer.complete();
      await turn.say(`You answered ${answer.action}.`);
    },
  },
];
