/** Commands as an option of `startEmulator`. */
import path from "node:path";
import { expect, test } from "vitest";
import { startEmulator } from "../../../emulator/index.ts";
import { createClient } from "../../../runtime/client/index.ts";
import { pythonIsMissing } from "../../setup/python.ts";
import { eventually, processesMarked } from "../jobs/observe.ts";

const cwd = path.resolve(import.meta.dirname, "../../fixtures/live-worker");

test.skipIf(pythonIsMissing !== undefined)(
  "the workers of a command end at once when the service is stopped without a grace period",
  async () => {
    const commands = [{ id: "one", command: ["python3", "handler.py"], cwd }];
    await using emulator = await startEmulator({ port: 0, s3: false, commands });
    const client = createClient({ baseUrl: emulator.url, apiKey: emulator.apiKey });
    const one = client.endpoint<object>("one");
    const { output, workerId } = await one.runSync({ do: "echo", a: 1 });
    expect(output).toEqual({ do: "echo", a: 1 });
    const { id } = await one.run({ do: "wait" });
    await eventually("the job runs", async () =>
      (await one.status(id)).status === "IN_PROGRESS" ? true : undefined,
    );
    await client.close();
    await emulator.stop("kill");
    expect(processesMarked(`SV_WORKER_ID=${workerId}`)).toEqual([]);
  },
);

test("the log says why a command cannot be started", async () => {
  const said: string[] = [];
  const say = (fields: object) => void said.push(JSON.stringify(fields));
  const log = { info: say, warn: say, error: say };
  const commands = [{ id: "one", command: ["no-such-program"], cwd }];
  await using emulator = await startEmulator({ port: 0, s3: false, commands, log });
  expect(emulator.endpointIds).toEqual(["one"]);
  const found = await eventually("the reason is in the log", () =>
    said.find((line) => line.includes("cannot be started")),
  );
  expect(found).toContain("there is no program");
});
