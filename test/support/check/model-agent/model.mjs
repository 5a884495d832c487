import { request } from "node:http";
import { StringDecoder } from "node:string_decoder";
import { agent, defect, variant } from "./context.mjs";

/** Asks the model and streams its answer. Rejects if the service fails or the signal aborts. */
export async function askModel({ model, messages, tools, signal, onText, onThought }) {
  const url = new URL(`${agent().env.MODEL_URL}/chat/completions`);
  const reminders = variant("reminds") ? [{ role: "user", content: "Be brief." }] : [];
  const body = JSON.stringify({
    model,
    messages: [...messages, ...reminders],
    tools,
    stream: true,
  });
  const response = await new Promise((resolve, reject) => {
    const sent = request(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      signal: defect("model-not-aborted") ? undefined : signal,
    });
    sent.once("response", resolve);
    sent.once("error", reject);
    sent.end(body);
    if (defect("model-not-aborted"))
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  if (response.statusCode !== 200) {
    response.resume();
    throw new Error(`the model service answered with status ${response.statusCode}`);
  }
  const answer = { text: "", calls: [], finish: undefined };
  for await (const data of events(response, signal)) {
    const [choice] = data.choices;
    if (!choice) continue;
    const { content, reasoning_content: thought, tool_calls: calls = [] } = choice.delta;
    if (content) {
      answer.text += content;
      await onText(content);
    }
    if (thought) await onThought(thought);
    for (const { index, id, function: part } of calls) {
      answer.calls[index] ??= { id, name: part.name, arguments: "" };
      answer.calls[index].arguments += part.arguments ?? "";
    }
    answer.finish = choice.finish_reason ?? answer.finish;
  }
  if (answer.finish === undefined) throw new Error("the answer of the model broke off");
  return answer;
}

async function* events(response, signal) {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  const aborted = new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  aborted.catch(() => {});
  const chunks = response[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await Promise.race([chunks.next(), aborted]);
    if (done) return;
    rest += defect("breaks-characters") ? value.toString("latin1") : decoder.write(value);
    const blocks = rest.split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const data = block.replace(/^data: /, "");
      if (data !== "[DONE]") yield JSON.parse(data);
    }
  }
}
