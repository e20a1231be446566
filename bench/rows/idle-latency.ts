/** Row: how long one job takes on an idle service, beside the floors of the way it goes. */
import { type Bench, interleave, newFolder } from "../bench.ts";
import { startEmulatorFor } from "../emulator-process.ts";
import { fdatasyncFloor } from "../floors/fdatasync.ts";
import { grpcFloor } from "../floors/grpc.ts";
import { startBareServer } from "../floors/http.ts";
import { ipcFloor } from "../floors/ipc.ts";
import { atMost, type Line } from "../line.ts";
import type { Subject } from "../load/load-client.ts";
import { submissionBody } from "../payload.ts";
import { ratio, sum, summarize } from "../statistics.ts";
import { number } from "../table.ts";
import type { Row } from "./row.ts";

const LIMIT = 2.5;

async function measure(bench: Bench): Promise<readonly Line[]> {
  const folder = newFolder(bench, "idle");
  await using emulator = await startEmulatorFor(folder, { echo: { handler: "echo", workers: 1 } });
  await using server = await startBareServer();
  await using disk = fdatasyncFloor(folder);
  await using grpc = await grpcFloor(folder);
  await using ipc = ipcFloor();
  const job = emulator.submission("echo", "runsync", submissionBody);
  const bare = { ...job, origin: server.origin };
  const load = { inFlight: 1, durationMs: bench.quick ? 300 : 1000 };
  const p50 = async (subject: Subject, expected: string): Promise<number> =>
    (await bench.client.load(subject, load, expected)).p50Ms;
  const times = bench.quick ? 200 : 500;
  const series = await interleave(bench, bench.quick ? 5 : 9, {
    ours: () => p50(job, '"COMPLETED"'),
    http: () => p50(bare, "input"),
    disk: () => disk.p50Ms(times),
    grpc: () => grpc.p50Ms(times),
    ipc: () => ipc.p50Ms(times),
  });
  const floors = sum(series.http, series.disk, series.disk, series.grpc, series.ipc);
  const times50 = ratio(series.ours, floors);
  const parts = { HTTP: series.http, fdatasync: series.disk, gRPC: series.grpc, IPC: series.ipc };
  const named = Object.entries(parts).map(
    ([name, values]) => `${name} ${number(summarize(values).median)} ms`,
  );
  return [
    {
      what: "/runsync p50, 1 in flight",
      unit: "ms",
      ours: summarize(series.ours),
      beside: {
        what: "HTTP + 2 × fdatasync + gRPC + IPC, there and back",
        value: summarize(floors),
      },
      ratio: times50,
      target: atMost(LIMIT, times50),
      notes: [`floors: ${named.join(", ")}`],
    },
  ];
}

export const idleLatency: Row = {
  id: "idle",
  title: "One job at a time: 200 B, durable, on an idle service",
  measure,
};
