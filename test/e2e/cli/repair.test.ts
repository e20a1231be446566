/** `sv-emulate repair`, after the emulator refused to start. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createClient, type EndpointClient } from "../../../runtime/client/index.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { change } from "../../unit/store/damage/left-behind.ts";
import {
  type EmulatorProcess,
  runEmulatorProcess,
  startEmulatorProcess,
} from "../emulator-process.ts";

const handler = path.resolve(import.meta.dirname, "../../fixtures/handlers/echo.ts");
const COUNT = 20;

function echoOf({ url, apiKey }: EmulatorProcess): EndpointClient {
  return createClient({ baseUrl: url, apiKey }).endpoint("echo");
}

test("a start on a damaged log exits with 4; after a repair the emulator starts and runs every kept job", async () => {
  await using tree = await temporaryTree({});
  const args = [handler, "--data-dir", tree.path("data")];
  const ids: string[] = [];
  {
    await using killed = await startEmulatorProcess({ args });
    for (let n = 0; n < COUNT; n += 1) ids.push((await echoOf(killed).run({ n })).id);
  }
  const log = tree.path("data/store.db-wal");
  change(log, Math.floor(fs.statSync(log).size / 2), 3);

  const refused = await runEmulatorProcess({ args });
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain("sv-emulate repair");

  const repaired = await runEmulatorProcess({ args: ["repair", "--data-dir", tree.path("data")] });
  expect(repaired.code, repaired.stderr).toBe(0);
  const kept = Number(/^kept: (\d+) jobs/u.exec(repaired.stdout)?.[1]);
  expect(kept).toBeGreaterThan(0);
  expect(kept === COUNT || repaired.stdout.includes("set aside:"), repaired.stdout).toBe(true);

  await using emulator = await startEmulatorProcess({ args });
  const echo = echoOf(emulator);
  const found = await Promise.allSettled(ids.map(async (id) => echo.wait(id)));
  const outputs = found.flatMap((each, n) =>
    each.status === "fulfilled" ? [[n, each.value]] : [],
  );
  expect(outputs).toHaveLength(kept);
  for (const [n, job] of outputs) expect(job).toMatchObject({ output: { n } });
});
