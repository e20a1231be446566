/** Row: cost of running a handler in a process of its own, beside a bare message to another process. */
import { runHandler } from "../../runtime/testing.ts";
import { type Bench, interleave } from "../bench.ts";
import { medianOf } from "../floors/floor.ts";
import { ipcFloor } from "../floors/ipc.ts";
import echo from "../handlers/echo.ts";
import { IsolatedHandler } from "../isolated-handler.ts";
import { type Line, lineOf } from "../line.ts";
import { jobInput } from "../payload.ts";
import { median } from "../statistics.ts";
import { number } from "../table.ts";
import type { Row } from "./row.ts";

const MICROS_PER_MS = 1000;

async function measure(bench: Bench): Promise<readonly Line[]> {
  await using isolated = await IsolatedHandler.start("echo");
  await using ipc = ipcFloor();
  const input = Buffer.from(JSON.stringify(jobInput));
  const times = bench.quick ? 1000 : 3000;
  const micros = async (p50Ms: Promise<number>): Promise<number> => (await p50Ms) * MICROS_PER_MS;
  const series = await interleave(bench, bench.quick ? 5 : 9, {
    apart: () => micros(medianOf(times, () => isolated.run(input))),
    here: () =>
      micros(medianOf(times, async () => void (await runHandler(echo, jobInput, { state: null })))),
    ipc: () => micros(ipc.p50Ms(times)),
  });
  const overhead = series.apart.map((apart, round) => apart - (series.here[round] ?? 0));
  const [apart, here] = [series.apart, series.here].map(median);
  return [
    lineOf({
      what: "a job in the handler process, less the same in this one, p50",
      unit: "µs",
      ours: overhead,
      beside: "IPC message there and back",
      others: series.ipc,
      notes: [
        `in the handler process ${number(apart ?? 0)} µs, in this one ${number(here ?? 0)} µs`,
      ],
    }),
  ];
}

export const extraProcess: Row = {
  id: "process",
  title: "A process of its own for the handler: 200 B in and out, without a service",
  measure,
};
