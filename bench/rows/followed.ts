/** Row: the cost of a reader of events for the service, beside the same service without a reader. */
import { z } from "zod";
import { Program } from "../asking.ts";
import { type Bench, interleave, newFolder } from "../bench.ts";
import { type MeteredLoad, metered, microsPerJob, perJob } from "../cpu-meter.ts";
import { jobDone, startEmulatorFor } from "../emulator-process.ts";
import { atLeast, atMost, type Line, lineOf } from "../line.ts";
import { submissionBody } from "../payload.ts";
import type { Row } from "./row.ts";

const THROUGHPUT_LEAST = 0.95;
const CPU_MOST = 1.1;
const IN_FLIGHT = 50;
const EVENTS = "/emulator/events?joined=true";
/** Minimum size of the events of a job, which are published when it is submitted, taken and ended. */
const BYTES_PER_JOB_LEAST = 300;

async function measure(bench: Bench): Promise<readonly Line[]> {
  const folder = newFolder(bench, "followed");
  const echo = { handler: "echo", workers: 1 } as const;
  await using emulator = await startEmulatorFor(folder, { echo });
  await using reader = new Program("stream-reader");
  const { origin } = emulator;
  const { client } = bench;
  await jobDone(client, emulator);
  const job = emulator.submission("echo", "runsync", submissionBody);
  const pids = { ...emulator.pids(), client: client.pid, reader: reader.pid };
  const load = { inFlight: IN_FLIGHT, durationMs: bench.quick ? 1000 : 3000 };
  const loaded = () => metered(pids, () => client.load(job, load, '"COMPLETED"'));
  const followed = async (): Promise<MeteredLoad> => {
    const { headers } = job.request;
    await reader.ask(z.null(), { kind: "open", origin, path: EVENTS, headers });
    const result = await loaded();
    const bytes = await reader.ask(z.number(), { kind: "close" });
    if (bytes >= result.answers * BYTES_PER_JOB_LEAST) return result;
    throw new Error(`The reader was told of ${result.answers} jobs in ${bytes} bytes.`);
  };
  const { ours, others } = await interleave(bench, bench.rounds, {
    ours: followed,
    others: loaded,
  });
  const what = `/runsync, ${IN_FLIGHT} in flight`;
  const beside = "the same without a reader";
  return [
    lineOf({
      what: `${what}, one reader of all events`,
      unit: "jobs/s",
      ours: ours.map(({ perSecond }) => perSecond),
      beside,
      others: others.map(({ perSecond }) => perSecond),
      target: (times) => atLeast(THROUGHPUT_LEAST, times),
      notes: [
        `${what}: with a reader: processor time each: ${perJob(ours)}`,
        `${what}: without: processor time each: ${perJob(others)}`,
      ],
    }),
    lineOf({
      what: `${what}: processor time of the emulator per job`,
      unit: "µs",
      ours: microsPerJob(ours, "emulator"),
      beside,
      others: microsPerJob(others, "emulator"),
      target: (times) => atMost(CPU_MOST, times),
    }),
  ];
}

export const followed: Row = {
  id: "followed",
  title: "A reader of the events, joined, in a process of its own",
  measure,
};
