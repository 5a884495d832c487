import { randomUUID } from "node:crypto";
import { quiet, stringField, within } from "../../../base/index.ts";
import { connectSocket, type CloseReason } from "../../../transport/wire/index.ts";
import { HUB_PROTOCOL, type HubRequest, isSame, proofOf, readHubHello } from "./frames.ts";
import { HubLostError, HubRefusedError } from "./errors.ts";
import { HandshakeChannel, HandshakeError } from "./handshake-channel.ts";
import { type HubRecord, socketProblem } from "./records.ts";

/** How long a hub may take to answer. It answers at once, unless its process is stopped. */
const ANSWER_MS = 10_000;

/**
 * Connects to a hub and asks for something. Resolves with its answer, and with the connection, which the
 * caller closes. Rejects with ConnectError if no process listens, with HubRefusedError, or with
 * HandshakeError.
 */
export async function askHub(
  record: HubRecord,
  version: string,
  request: HubRequest,
): Promise<{ readonly answer: unknown; readonly channel: HandshakeChannel }> {
  const problem = await socketProblem(record.socket);
  if (problem !== undefined) throw new HandshakeError(problem);
  const channel = new HandshakeChannel(
    await connectSocket({ path: record.socket }),
    lostUnlessClosed,
  );
  try {
    const asked = quiet(converse(channel, record, version, request));
    if (!(await within(asked, ANSWER_MS))) throw new HandshakeError("the hub does not answer");
    return { answer: await asked, channel };
  } catch (error) {
    await channel.close();
    throw error;
  }
}

async function converse(
  channel: HandshakeChannel,
  { token }: HubRecord,
  version: string,
  request: HubRequest,
): Promise<unknown> {
  const nonce = randomUUID();
  const hello = { protocol: HUB_PROTOCOL, version, token, nonce };
  await channel.send(JSON.stringify({ hello }));
  const theirs = readHubHello(await channel.frame());
  if (theirs === undefined || !isSame(theirs.proof, proofOf(token, nonce)))
    throw new HandshakeError("the process that listens there is not the hub");
  if (request.want !== "stop" && theirs.protocol !== HUB_PROTOCOL)
    throw new HubRefusedError(`the hub is of version ${theirs.version}`);
  await channel.send(JSON.stringify(request));
  const frame = await channel.frame();
  const refused = stringField(frame, "refused");
  if (refused !== undefined) throw new HubRefusedError(refused);
  return frame["ok"];
}

/** Losing the hub is different from an agent that ends the connection. */
function lostUnlessClosed(reason: CloseReason): CloseReason {
  return reason.kind === "closed" ? reason : { kind: "failed", error: new HubLostError() };
}
