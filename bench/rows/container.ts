/** Row: size of worker images on top of their base, and the time until a container of one has done its first job. */
import { type Bench, interleave, newFolder } from "../bench.ts";
import { type BareStart, trueContainer } from "../floors/true-container.ts";
import { type Line, lineOf } from "../line.ts";
import type { WorkerImages } from "../worker-images.ts";
import { ServiceProgram, type WorkerStart } from "../service-program.ts";
import { sum, summarize } from "../statistics.ts";
import type { Row } from "./row.ts";

const MB = 1_000_000;
const BASE_LIMIT_MB = 16;
const HANDLER = "echo";

async function measure(bench: Bench): Promise<readonly Line[]> {
  // The search for an engine is not measured.
  const { dockerIsMissing } = await import("../../test/setup/docker.ts");
  if (dockerIsMissing !== undefined) {
    const notes = [`not measured: ${dockerIsMissing}`];
    return [{ what: "worker images", unit: "MB", ours: undefined, notes }];
  }
  const { buildWorkerImages } = await import("../worker-images.ts");
  await using images = await buildWorkerImages(HANDLER, newFolder(bench, "image"));
  return [...(await sizes(images)), ...(await starts(bench, images))];
}

async function sizes(images: WorkerImages): Promise<readonly Line[]> {
  const [beneath, base, worker] = await Promise.all(
    [images.beneath, "sv-base", images.worker].map((image) => images.sizeBytes(image)),
  );
  const baseMb = [((base ?? NaN) - (beneath ?? NaN)) / MB];
  return [
    {
      what: "base image, without Node and what is beneath",
      unit: "MB",
      ours: summarize(baseMb),
      target: { text: `< ${BASE_LIMIT_MB} MB`, met: baseMb.every((mb) => mb < BASE_LIMIT_MB) },
    },
    lineOf({
      what: "worker image of a TypeScript handler, on the base",
      unit: "B",
      ours: [(worker ?? NaN) - (base ?? NaN)],
      beside: "the handler's file",
      others: [images.sourceBytes],
    }),
  ];
}

async function starts(bench: Bench, images: WorkerImages): Promise<readonly Line[]> {
  const { docker, worker: image, beneath } = images;
  const open = async (container?: { image: string; dockerHost: string }) =>
    ServiceProgram.start({
      folder: newFolder(bench, "container"),
      handler: HANDLER,
      workers: "for each job",
      ...(container && { container }),
    });
  await using inContainers = await open({ image, dockerHost: docker.host });
  await using asProcesses = await open();
  const measured = await interleave<"ours" | "process" | "bare", WorkerStart | BareStart>(
    bench,
    bench.quick ? 3 : 11,
    {
      ours: () => inContainers.startWorker(),
      // A container's disk is new each time, so nothing is compiled yet.
      process: () => asProcesses.startWorker(newFolder(bench, "compile-cache")),
      bare: () => trueContainer(docker.host, beneath, docker.label),
    },
  );
  const bare = measured.bare.filter((start) => "createMs" in start);
  return parts(measured.ours.filter(isWorker), measured.process.filter(isWorker), bare);
}

/** The starts follow one another, each beside the machine's own cost. */
function parts(
  ours: readonly WorkerStart[],
  processes: readonly WorkerStart[],
  bare: readonly BareStart[],
): readonly Line[] {
  const creates = bare.map(({ createMs }) => createMs);
  const begins = bare.map(({ startMs }) => startMs);
  const connected = processes.map(part("connectedMs"));
  const result = processes.map(part("resultMs", "connectedMs"));
  const asProcess = "sv-worker as a process";
  return [
    line("container created", ours.map(part("createdMs")), "docker create of true", creates),
    line("its program started", ours.map(part("startedMs", "createdMs")), "docker start", begins),
    line("worker connected", ours.map(part("connectedMs", "startedMs")), asProcess, connected),
    line("first result", ours.map(part("resultMs", "connectedMs")), asProcess, result),
    line(
      "from the order to the first result",
      ours.map(part("resultMs")),
      "all of these, added",
      sum(creates, begins, connected, result),
    ),
  ];
}

function isWorker(start: WorkerStart | BareStart): start is WorkerStart {
  return "resultMs" in start;
}

type Mark = "createdMs" | "startedMs" | "connectedMs" | "resultMs";

/** Time between two marks; the first defaults to the beginning. */
function part(to: Mark, from?: Mark): (start: WorkerStart) => number {
  return (start) => (start[to] ?? NaN) - (from === undefined ? 0 : (start[from] ?? NaN));
}

function line(
  what: string,
  ours: readonly number[],
  beside: string,
  others: readonly number[],
): Line {
  return lineOf({ what, unit: "ms", ours, beside, others });
}

export const container: Row = {
  id: "container",
  title: "Worker images: what they add, and a cold start in a container for a job that waits",
  measure,
};
