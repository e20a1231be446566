/** Row: from starting `sv-worker` to its first job, beside starting Node alone. */
import { type Bench, interleave, newFolder } from "../bench.ts";
import { atMost, type Line, lineOf } from "../line.ts";
import { ServiceProgram, type WorkerStart } from "../service-program.ts";
import type { Row } from "./row.ts";

const LIMIT = 3;

async function measure(bench: Bench): Promise<readonly Line[]> {
  const folder = newFolder(bench, "start");
  await using service = await ServiceProgram.start({
    folder,
    handler: "echo",
    workers: "for each job",
  });
  const { ours, cold, node } = await interleave<"ours" | "cold" | "node", WorkerStart>(
    bench,
    bench.quick ? 7 : 21,
    {
      ours: () => service.startWorker(),
      cold: () => service.startWorker(newFolder(bench, "compile-cache")),
      node: async () => {
        const tookMs = await service.startNode();
        return { connectedMs: tookMs, takenMs: tookMs, resultMs: tookMs };
      },
    },
  );
  const line = (
    what: string,
    starts: readonly WorkerStart[],
    part: "takenMs" | "resultMs",
  ): Line => {
    const of = (start: WorkerStart): number => start[part];
    return lineOf({
      what,
      unit: "ms",
      ours: starts.map(of),
      beside: "node -e 0",
      others: node.map(of),
    });
  };
  const taken = line("sv-worker to first job taken", ours, "takenMs");
  return [
    { ...taken, target: atMost(LIMIT, taken.ratio) },
    line("sv-worker to first result", ours, "resultMs"),
    line("sv-worker to first job taken, nothing compiled yet", cold, "takenMs"),
  ];
}

export const start: Row = {
  id: "start",
  title: "A worker starts: for a job that waits in a running service",
  measure,
};
