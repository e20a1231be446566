/**
 * A worker from elsewhere continues its job at the next owner after its replica was killed, and the job does not
 * run again.
 */
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, inject, it } from "vitest";
import { freePort } from "../../setup/free-port.ts";
import { freshDatabase } from "../../setup/shared-postgres.ts";
import { makeCrashScene } from "../crash/crash-scene.ts";
import { check } from "../crash/history-checker.ts";
import { KillableEmulator } from "../crash/killable-emulator.ts";
import { RecordingClient } from "../crash/recording-client.ts";
import { processesMarked } from "../jobs/observe.ts";
import { FarWorker, tokenOf } from "./far-worker.ts";

const KILLS = 10;
const env = { SV_SECRET_KEY: Buffer.alloc(32, 7).toString("base64") };
/** Duration of the job: longer than another replica needs to notice the kill. */
const WORK_MS = 9_000;

const REGISTERED = "an external worker was registered";

interface Seat {
  readonly url: string;
  readonly address: string;
  readonly start: () => KillableEmulator;
  emulator: KillableEmulator;
}

/** Time of the worker's last connection to the replica, ms since the epoch; 0 without one. */
function registeredAt({ emulator }: Seat): number {
  const lines = emulator.printed.split("\n").filter((line) => line.includes(REGISTERED));
  return Number(/"time":(\d+)/u.exec(lines.at(-1) ?? "")?.[1] ?? 0);
}

it(
  `a worker continues its jobs through ${KILLS} kills of the replica that owns its endpoint`,
  { timeout: 60_000 + KILLS * 60_000 },
  async () => {
    using scene = makeCrashScene({ jobs: { fixture: "writes-its-history.ts", workers: 0 } });
    const { config, history, mark } = scene;
    const store = await freshDatabase(inject("sharedPostgres"));
    const seat = async (name: string): Promise<Seat> => {
      const [port, workerPort] = [await freePort(), await freePort()];
      const url = `http://127.0.0.1:${port}`;
      const data = ["--data-dir", path.join(path.dirname(config), name), "--s3-port", "off"];
      const shared = ["--store", store, "--advertise", url, "--worker-port", String(workerPort)];
      const start = () => new KillableEmulator({ config, port, args: [...data, ...shared], env });
      const emulator = start();
      await emulator.ready;
      return { url, address: `tls://127.0.0.1:${workerPort}`, start, emulator };
    };
    const seats = [await seat("one"), await seat("two")];
    await using _ = {
      [Symbol.asyncDispose]: async () => {
        for (const { emulator } of seats) await emulator.kill();
      },
    };
    const token = await tokenOf(seats[0]?.url ?? "", "jobs");
    const address = seats.map((each) => each.address).join(",");
    await using worker = new FarWorker({ address, token, under: ["env"], mark });
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const first = seats[0]?.url ?? "";
      const jobId = await new RecordingClient(history, first, "jobs").submit({
        marker: `${kill}`,
        workMs: WORK_MS,
      });
      while (!history.facts().some((fact) => fact.type === "started" && fact.marker === `${kill}`))
        await delay(50);
      const [other, owner] = seats.toSorted((a, b) => registeredAt(a) - registeredAt(b));
      if (owner === undefined || other === undefined || jobId === undefined)
        throw new Error(`nobody has the job: ${worker.printed}`);
      await owner.emulator.kill();
      await using client = new RecordingClient(history, other.url, "jobs");
      while (!(await client.waitForEnd(jobId)));
      owner.emulator = owner.start();
      await owner.emulator.ready;
      const began = history
        .facts()
        .filter((fact) => fact.type === "started" && fact.jobId === jobId);
      expect(began).toHaveLength(1);
    }
    expect(await worker.stop()).toBe(0);
    for (const { emulator } of seats) expect(await emulator.stop()).toBe(0);
    expect(processesMarked(mark)).toEqual([]);
    expect(check(history.facts(), () => ({ statuses: ["COMPLETED"] }))).toEqual([]);
  },
);
