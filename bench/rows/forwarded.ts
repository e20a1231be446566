/** Row: the cost of a job for both processes if its request goes to a replica that does not own its endpoint. */
import path from "node:path";
import { z } from "zod";
import { Program } from "../asking.ts";
import { type Bench, interleave, newFolder } from "../bench.ts";
import { metered, microsPerJob, perJob } from "../cpu-meter.ts";
import { submissionTo } from "../emulator-process.ts";
import { atMost, type Line, lineOf } from "../line.ts";
import { submissionBody } from "../payload.ts";
import type { Row } from "./row.ts";

const MOST_TIMES = 1.6;
const EXPECTED = '"COMPLETED"';
const WARM_UP_MS = 500;

async function measure(bench: Bench): Promise<readonly Line[]> {
  const folder = newFolder(bench, "replicas");
  await using owner = new Program("replica");
  await using front = new Program("replica");
  const ofOwner = await owner.ask(z.string(), { folder: path.join(folder, "owner") });
  const asked = { folder: path.join(folder, "front"), owner: ofOwner };
  const ofFront = await front.ask(z.string(), asked);
  const subjects = {
    local: submissionTo(ofOwner, "echo", "runsync", submissionBody),
    forwarded: submissionTo(ofFront, "echo", "runsync", submissionBody),
  };
  const pids = { owner: owner.pid, front: front.pid };
  const linesAt = async (inFlight: number): Promise<Line> => {
    const load = { inFlight, durationMs: bench.quick ? 1_000 : 3_000 };
    const measured = await interleave(bench, bench.rounds, {
      local: () => metered(pids, () => bench.client.load(subjects.local, load, EXPECTED)),
      forwarded: () => metered(pids, () => bench.client.load(subjects.forwarded, load, EXPECTED)),
    });
    const of = (rounds: typeof measured.local): number[] => {
      const inOwner = microsPerJob(rounds, "owner");
      return microsPerJob(rounds, "front").map((micros, at) => micros + (inOwner[at] ?? 0));
    };
    return lineOf({
      what: `/runsync that is passed on, ${inFlight} in flight, processor time of both replicas`,
      unit: "µs",
      ours: of(measured.forwarded),
      beside: "answered where it arrived",
      others: of(measured.local),
      target: (times) => atMost(MOST_TIMES, times),
      notes: Object.entries(measured).map(([name, rounds]) => `${name}: ${perJob(rounds)}`),
    });
  };
  await bench.client.load(subjects.forwarded, { inFlight: 1, durationMs: WARM_UP_MS }, EXPECTED);
  return [await linesAt(50), await linesAt(500)];
}

export const forwarded: Row = {
  id: "forwarded",
  title: "Two replicas: a job of an endpoint that the other one owns",
  measure,
};
