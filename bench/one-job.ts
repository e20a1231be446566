/** The duration of one job on an idle service, compared with the floors of its path. */
import { type Bench, interleave, newFolder, OTHER_CHECKOUT } from "./bench.ts";
import { startEmulatorFor } from "./emulator-process.ts";
import { fdatasyncFloor } from "./floors/fdatasync.ts";
import { medianOf } from "./floors/floor.ts";
import { grpcFloor } from "./floors/grpc.ts";
import { startBareServer } from "./floors/http.ts";
import { ipcFloor } from "./floors/ipc.ts";
import { atMost, type Line, lineOf } from "./line.ts";
import type { Subject } from "./load/load-client.ts";
import { bodyOf } from "./payload.ts";
import { sum, summarize } from "./statistics.ts";
import { number } from "./table.ts";

interface OneJob {
  readonly what: string;
  /** Size of the submission, and about the size of the result. */
  readonly bytes: number;
  readonly rounds: number;
  /** Duration of a round, in which jobs are sent one after another. */
  readonly durationMs: number;
  /** Number of measurements of a floor per round. */
  readonly times: number;
  /** Maximum ratio to its floors. */
  readonly limit?: number;
}

export async function oneJob(bench: Bench, plan: OneJob): Promise<readonly Line[]> {
  const { what, bytes, times, durationMs, limit } = plan;
  const folder = newFolder(bench, "one-job");
  const [body, message] = [bodyOf(bytes), Buffer.alloc(bytes, "x")];
  await using parts = new AsyncDisposableStack();
  const jobOf = async (checkout?: string): Promise<Subject> => {
    const served = { echo: { handler: "echo", workers: 1 } } as const;
    const start = startEmulatorFor(newFolder(bench, "one-job"), served, { checkout });
    return parts.use(await start).submission("echo", "runsync", body);
  };
  const job = await jobOf();
  const other = bench.against === undefined ? undefined : await jobOf(bench.against);
  await using server = await startBareServer();
  await using disk = fdatasyncFloor(folder, bytes);
  await using grpc = await grpcFloor(folder, message);
  await using ipc = ipcFloor(message);
  const bare = { ...job, origin: server.origin };
  const p50 = async (subject: Subject, expected: string): Promise<number> =>
    (await bench.client.load(subject, { inFlight: 1, durationMs }, expected)).p50Ms;
  const measured = await interleave<string, number>(bench, plan.rounds, {
    ours: () => p50(job, '"COMPLETED"'),
    HTTP: () => p50(bare, "input"),
    fdatasync: () => disk.p50Ms(times),
    gRPC: () => grpc.p50Ms(times),
    IPC: () => ipc.p50Ms(times),
    JSON: () => medianOf(times, async () => void JSON.stringify(JSON.parse(body))),
    ...(other && { before: () => p50(other, '"COMPLETED"') }),
  });
  const { ours = [], before, ...floors } = measured;
  const named = Object.entries(floors).map(
    ([name, values]) => `${name} ${number(summarize(values).median)} ms`,
  );
  const line = lineOf({
    what,
    unit: "ms",
    ours,
    beside: "HTTP + 2 × fdatasync + gRPC + IPC there and back + JSON",
    others: sum(...Object.values(floors), floors["fdatasync"] ?? []),
    ...(limit !== undefined && { target: (ratio) => atMost(limit, ratio) }),
    notes: [`floors: ${named.join(", ")}`],
  });
  if (before === undefined) return [line];
  return [line, lineOf({ what, unit: "ms", ours, beside: OTHER_CHECKOUT, others: before })];
}
