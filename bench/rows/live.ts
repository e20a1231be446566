/** Row: a worker on a queue of the live dialect, compared with the HTTP round trips of its protocol. */
import { z } from "zod";
import { Program } from "../asking.ts";
import { type Bench, interleave } from "../bench.ts";
import { handlerFile } from "../emulator-process.ts";
import { startBareServer } from "../floors/http.ts";
import { atLeast, type Line, lineOf } from "../line.ts";
import type { Subject } from "../load/load-client.ts";
import { submissionBody } from "../payload.ts";
import { median } from "../statistics.ts";
import type { Row } from "./row.ts";

const LEAST = 0.6;
/** Round trips per job: one to take the job, and one to report its result. */
const ROUND_TRIPS = 2;

async function measure(bench: Bench): Promise<readonly Line[]> {
  await using queue = new Program("live-queue");
  await using server = await startBareServer();
  await queue.ask(z.null(), { kind: "open", handler: handlerFile("tells-when") });
  const durationMs = bench.quick ? 500 : 1_500;
  const times = bench.quick ? 100 : 300;
  const bare: Subject = {
    origin: server.origin,
    request: {
      method: "POST",
      path: "/v2/echo/runsync",
      headers: { "content-type": "application/json" },
      body: submissionBody,
    },
  };
  const load = { inFlight: 1, durationMs };
  const series = await interleave(bench, bench.quick ? 5 : 9, {
    jobs: () => queue.ask(z.number(), { kind: "throughput", durationMs }),
    pickup: async () => {
      const pickups: number[] = [];
      for (let job = 0; job < times; job += 1) {
        pickups.push(await queue.ask(z.number(), { kind: "pickup" }));
      }
      return median(pickups);
    },
    roundTrip: async () => (await bench.client.load(bare, load, "input")).p50Ms,
  });
  const floor = series.roundTrip.map((ms) => 1_000 / (ROUND_TRIPS * ms));
  return [
    lineOf({
      what: "jobs one after the other, concurrency 1",
      unit: "jobs/s",
      ours: series.jobs,
      beside: "1 / (2 HTTP round trips)",
      others: floor,
      target: (share) => atLeast(LEAST, share),
      notes: ["the live SDK's published figures, not measured here: 1 job/s, 56 ms to pick one up"],
    }),
    lineOf({
      what: "idle: from the answer to a held poll to the call of the handler, p50",
      unit: "ms",
      ours: series.pickup,
      beside: "HTTP round trip",
      others: series.roundTrip,
    }),
  ];
}

export const live: Row = {
  id: "live",
  title: "A worker on a queue of the live dialect, over HTTP: 200 B jobs",
  measure,
};
