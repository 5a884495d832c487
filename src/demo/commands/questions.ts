import type { PermissionOption } from "../../acp/index.ts";
import { without, type Command } from "./command.ts";

const CHOICES: readonly PermissionOption[] = [
  { optionId: "once", name: "Once", kind: "allow_once" },
  { optionId: "ever", name: "For ever", kind: "allow_always" },
  { optionId: "no", name: "No", kind: "reject_once" },
  { optionId: "never", name: "Never", kind: "reject_always" },
];

/** Commands that ask the user. */
export const questions: readonly Command[] = [
  {
    name: "permission",
    description: "Asks for permission with options of all four kinds, and says what was chosen",
    async run(turn) {
      const answer = await turn.askPermission({
        title: "Do nothing at all",
        kind: "other",
        options: CHOICES,
      });
      const chosen = answer.outcome === "selected" ? `chose ${answer.optionId}` : "closed it";
      await turn.say(`You ${chosen}: ${answer.allowed ? "allowed" : "not allowed"}.`);
    },
  },
  {
    name: "ask",
    description: "Asks for the fields of a form",
    async run(turn) {
      if (!turn.client.can("elicitation.form")) return await without(turn, "elicitation.form");
      const answer = await turn.elicit({
        message: "Tell me about your favourite colour.",
        schema: {
          title: "Colour",
          properties: {
            name: { type: "string", title: "Its name", minLength: 1 },
            kind: { type: "string", title: "Its kind", enum: ["warm", "cold"] },
            shades: { type: "integer", title: "How many shades", minimum: 1, maximum: 50 },
            brightness: { type: "number", title: "Its brightness", minimum: 0, maximum: 1 },
            loud: { type: "boolean", title: "Is it loud?", default: false },
            uses: {
              type: "array",
              title: "What for",
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
    description: "Asks the user to go to an address, then says that it is done",
    hint: "address",
    async run(turn, rest) {
      if (!turn.client.can("elicitation.url")) return await without(turn, "elicitation.url");
      const url = rest || "https://agentclientprotocol.com";
      const answer = await turn.elicitUrl({ message: "Please have a look at this page.", url });
      if (answer.action === "accept") await answer.complete();
      await turn.say(`You answered ${answer.action}.`);
    },
  },
];
