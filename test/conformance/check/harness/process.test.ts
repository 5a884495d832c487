import { expect, it } from "vitest";
import { startProcessTransport } from "../../../../src/conformance/check/harness/process-transport.ts";
import type { Transport } from "../../../../src/conformance/check/harness/transport.ts";

interface Started {
  readonly transport: Transport;
  readonly lines: readonly string[];
}

/** Starts a program, collects its lines, and waits for the first one. */
async function started(program: string): Promise<Started> {
  const transport = await startProcessTransport({
    command: process.execPath,
    args: ["-e", program],
  });
  const lines: string[] = [];
  await new Promise<void>((resolve) => {
    transport.open(({ text }) => {
      lines.push(text);
      resolve();
    });
  });
  return { transport, lines };
}

const CUT = 'process.stdout.write("whole\\nhalf a li");';

it("takes the end of the output of a program that exits by itself for a line", async () => {
  const { transport, lines } = await started(CUT);
  await transport.ended;
  expect(lines).toEqual(["whole", "half a li"]);
  await transport.end();
});

it.each([
  ["its stdin is closed", ({ process: control }: Transport) => control?.endInput()],
  ["it gets a signal", ({ process: control }: Transport) => control?.signal("SIGTERM")],
  ["it is ended", (transport: Transport) => transport.end()],
])("drops a line that is cut because %s", async (_, tell) => {
  const { transport, lines } = await started(`${CUT} process.stdin.resume();`);
  await tell(transport);
  await transport.ended;
  expect(lines).toEqual(["whole"]);
  await transport.end();
});
