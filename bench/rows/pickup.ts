/** Row: time from a submission until the handler of an idle worker is called, beside the messages needed for it. */
import { type Bench, interleave, newFolder } from "../bench.ts";
import { grpcFloor } from "../floors/grpc.ts";
import { ipcFloor } from "../floors/ipc.ts";
import { atMost, type Line, lineOf } from "../line.ts";
import { ServiceProgram } from "../service-program.ts";
import { median, sum } from "../statistics.ts";
import type { Row } from "./row.ts";

const LIMIT = 4;

async function measure(bench: Bench): Promise<readonly Line[]> {
  const folder = newFolder(bench, "pickup");
  const handler = "tells-when";
  await using service = await ServiceProgram.start({ folder, handler, workers: "one" });
  await using grpc = await grpcFloor(folder);
  await using ipc = ipcFloor();
  const times = bench.quick ? 200 : 500;
  const series = await interleave(bench, bench.quick ? 5 : 9, {
    ours: async () => {
      const pickups: number[] = [];
      for (let job = 0; job < times; job += 1) pickups.push(await service.pickupMs());
      return median(pickups);
    },
    grpc: () => grpc.p50Ms(times),
    ipc: () => ipc.p50Ms(times),
  });
  const oneWay = sum(series.grpc, series.ipc).map((thereAndBack) => thereAndBack / 2);
  return [
    lineOf({
      what: "submission durable to handler called, p50",
      unit: "ms",
      ours: series.ours,
      beside: "gRPC + IPC, one way (half of there and back)",
      others: oneWay,
      target: (ratio) => atMost(LIMIT, ratio),
    }),
  ];
}

export const pickup: Row = {
  id: "pickup",
  title: "Pickup: one 200 B job at a time, by an idle worker",
  measure,
};
