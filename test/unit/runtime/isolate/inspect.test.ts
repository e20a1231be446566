/** A debugger reaches the handler process and its successor at the configured address. */
import { expect, test } from "vitest";
import { freeAddress } from "../../../debugger-client.ts";
import { WorkerRun } from "../worker-run.ts";

/** The program at the port, as a debugger reads it. */
async function debuggee(address: string): Promise<unknown> {
  const answer = await fetch(`http://${address}/json/list`);
  return answer.json();
}

test("the handler process has one address, also after its replacement, and no standby", async () => {
  const inspect = await freeAddress();
  await using run = new WorkerRun("says-when-set-up", {
    inspect,
    standby: "loaded",
    standbyDelayMs: 0,
  });
  const ours = [
    {
      type: "node",
      title: expect.stringContaining("handler-process.ts"),
      faviconUrl: expect.any(String),
    },
  ];
  const first = await run.source.submit().result();
  expect(await debuggee(inspect)).toMatchObject(ours);
  await run.source.submit({ input: { exit: true } }).result();
  const second = await run.source.submit().result();
  expect(second["output"]).not.toBe(first["output"]);
  expect(await debuggee(inspect)).toMatchObject(ours);
  expect(run.processes()).toEqual([second["output"]]);
});
