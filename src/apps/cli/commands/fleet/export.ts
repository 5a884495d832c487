import { FLEET_OPTIONS } from "./declaration.ts";
import { sessionRecording } from "../../../../host/fleet/index.ts";
import { usageError } from "../../shell/exit.ts";
import { type Context, interruptible } from "../../context/context.ts";
import { connectFleet, fleetFailure } from "../../fleet/nats.ts";

/** `dragoman fleet export`: the log of a session as a recording, on stdout. Throws a CliError. */
export async function exportSession(context: Context, session: string): Promise<void> {
  const { screen, values, mode } = context;
  if (mode !== "text" && mode !== "simple")
    throw usageError("fleet export prints a recording, and no other format");
  const engine = await connectFleet(context, { role: "status" });
  try {
    await interruptible(context, async (signal) => {
      const follow = values.with(FLEET_OPTIONS).flag("follow");
      for await (const line of sessionRecording(engine, session, { follow, signal })) {
        screen.json(`${line}\n`);
        await screen.drained();
      }
    });
  } catch (error) {
    throw fleetFailure(error);
  } finally {
    await engine.close();
  }
}
