/**
 * Workers in another network, with a connection to the emulator that is cut while they work: acknowledged jobs are
 * neither lost nor repeated.
 */
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { freePort } from "../../setup/free-port.ts";
import { makeNetworkNamespace, namespaceIsMissing } from "../../setup/network-namespace.ts";
import { sized } from "../../setup/size.ts";
import { makeCrashScene } from "../crash/crash-scene.ts";
import { check } from "../crash/history-checker.ts";
import { KillableEmulator } from "../crash/killable-emulator.ts";
import { RecordingClient } from "../crash/recording-client.ts";
import { processesMarked } from "../jobs/observe.ts";
import { FarWorker, tokenOf } from "./far-worker.ts";
import { TEST_MS } from "../../setup/patience.ts";

const ENDS = ["here", "there"] as const;
/** Lengths of cuts: shorter than a lease, a little longer, much longer. */
const LENGTHS_MS = sized([2_000], [5_000, 20_000, 60_000]);
const TIMES = sized(1, 5);
const CUTS = Array.from({ length: TIMES }, () =>
  LENGTHS_MS.flatMap((ms) => ENDS.slice(0, sized(1, 2)).map((end) => ({ ms, end }))),
).flat();

/** Some jobs end before the cut, most in the middle of it, some afterwards. */
const WORK_MS = sized([50, 1_000, 4_000], [50, 1_500, 3_000, 7_000]);

it.skipIf(namespaceIsMissing !== undefined)(
  `no acknowledged job is lost or repeated in ${CUTS.length} cuts of the connection, one with a restart`,
  { timeout: CUTS.reduce((sum, { ms }) => sum + ms + 60_000, TEST_MS) },
  async () => {
    const more = { retries: { workerLost: 100, handlerError: 0 } };
    using scene = makeCrashScene({
      jobs: { fixture: "writes-its-history.ts", workers: 0, more },
    });
    const { config, history, mark } = scene;
    await using namespace = await makeNetworkNamespace();
    const [port, workerPort] = [await freePort(), await freePort()];
    const url = `http://127.0.0.1:${port}`;
    const args = ["--host", "0.0.0.0", "--worker-port", String(workerPort)];
    const start = () => new KillableEmulator({ config, port, args });
    let emulator = start();
    await using _ = { [Symbol.asyncDispose]: async () => emulator.kill() };
    await emulator.ready;
    const token = await tokenOf(url, "jobs");
    const worker = (host: string) => {
      const { under } = namespace;
      return new FarWorker({ address: `tls://${host}:${workerPort}`, token, under, mark });
    };
    await using cutOff = worker(namespace.beyondTheCut);
    await using steady = worker(namespace.outside);
    await using client = new RecordingClient(history, url, "jobs");
    let count = 0;
    const submitAll = async () => {
      const ids: (string | undefined)[] = [];
      for (const workMs of [...WORK_MS, ...WORK_MS, ...WORK_MS])
        ids.push(await client.submit({ marker: `${(count += 1)}`, workMs }));
      return ids.filter((id) => id !== undefined);
    };
    for (const [round, { ms, end }] of CUTS.entries()) {
      const ids = await submitAll();
      await delay(400);
      await namespace.cut(end);
      if (round === 0) {
        // The workers' jobs continue during the cut.
        await emulator.kill();
        emulator = start();
        await emulator.ready;
      }
      await delay(ms);
      await namespace.heal();
      for (const id of ids) while (!(await client.waitForEnd(id)));
    }
    expect([await cutOff.stop(), await steady.stop()]).toEqual([0, 0]);
    expect(await emulator.stop()).toBe(0);
    expect(processesMarked(mark)).toEqual([]);
    expect(check(history.facts(), () => ({ statuses: ["COMPLETED"] }))).toEqual([]);
    expect(cutOff.printed).toContain("connected to the service");
  },
);
