/** Hundreds of good and bad jobs, thousands in a full run, on four workers that are struck at random. */
import fs from "node:fs";
import { createClient, type EndpointClient } from "../../../../runtime/client/index.ts";
import type { Violation } from "../../crash/dossier.ts";
import { check } from "../../crash/history-checker.ts";
import type { History } from "../../crash/history.ts";
import { type SeededRandom } from "../../crash/seeded-random.ts";
import { eventually, type ObservedProcess, processesMarked } from "../../jobs/observe.ts";
import { Chaos } from "./chaos.ts";
import { LibraryEmulator } from "./library-emulator.ts";
import { API_KEY, LEASE_MS, makeScene, STRIKES } from "./scene.ts";
import { type Ended, figuresOf, wrongEnds } from "./verdict.ts";
import { wayOf, WAYS } from "./ways.ts";

const SUBMITTERS = 16;

/** Result of a soak. */
export interface SoakReport {
  /** Violations in the history of hand-overs, receipts, handlers and answers. */
  readonly violations: readonly Violation[];
  /** Jobs with a failure report or a number of attempts that does not match their kind. */
  readonly wrongEnds: readonly string[];
  readonly exitCode: number | null;
  readonly processesLeft: readonly ObservedProcess[];
  /** Files left in the emulator's directory for temporary files, sockets included. */
  readonly filesLeft: readonly string[];
  readonly strikes: number;
  readonly figures: ReturnType<typeof figuresOf>;
}

export async function soak(random: SeededRandom, limitMs: number): Promise<SoakReport> {
  using scene = makeScene();
  const { history, mark, temporary } = scene;
  await using emulator = await LibraryEmulator.start(scene.options, temporary);
  await using client = createClient({ baseUrl: emulator.url, apiKey: API_KEY });
  const endpoint = client.endpoint("soak");
  const chaos = new Chaos({ mark, random, leaseMs: LEASE_MS });

  const jobs = await submitAll(endpoint, history, shuffled(random));
  await strikeUntilAllEnded(endpoint, chaos, jobs.size, limitMs);
  await chaos.isOver();
  const ended = await lookAtAll(endpoint, history, jobs);
  history.add({ type: "counted", completed: (await endpoint.health()).jobs.completed });
  const exitCode = await emulator.stop();
  const processesLeft = processesMarked(mark);
  for (const { pid } of processesLeft) process.kill(pid, "SIGKILL");
  const facts = history.facts();
  return {
    violations: check(facts, (marker) => wayOf(marker).ends),
    wrongEnds: wrongEnds(ended, chaos),
    exitCode,
    processesLeft,
    // Node keeps its compile cache.
    filesLeft: fs.readdirSync(temporary).filter((name) => name !== "node-compile-cache"),
    strikes: chaos.strikes,
    figures: figuresOf(facts, ended, emulator.log),
  };
}

/** A marker per job, in the order of submission. */
function shuffled(random: SeededRandom): string[] {
  const markers = WAYS.flatMap(({ name, jobs }) =>
    Array.from({ length: jobs }, (_, n) => `${name}:${n}`),
  );
  return markers
    .map((marker) => ({ marker, place: random.next() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ marker }) => marker);
}

/** The marker of each job, by its id. */
async function submitAll(
  endpoint: EndpointClient,
  history: History,
  markers: string[],
): Promise<Map<string, string>> {
  const jobs = new Map<string, string>();
  const submit = async () => {
    for (let marker = markers.shift(); marker !== undefined; marker = markers.shift()) {
      const { name, policy } = wayOf(marker);
      const input = { marker, way: name };
      const { id: jobId } = await endpoint.run(input, policy === undefined ? {} : { policy });
      history.add({ type: "submitted", jobId, marker });
      jobs.set(jobId, marker);
    }
  };
  await Promise.all(Array.from({ length: SUBMITTERS }, submit));
  return jobs;
}

/** The strikes are spread evenly over the jobs that end. */
async function strikeUntilAllEnded(
  endpoint: EndpointClient,
  chaos: Chaos,
  jobs: number,
  limitMs: number,
): Promise<void> {
  await eventually(
    "all jobs have ended",
    async () => {
      const { completed, failed } = (await endpoint.health()).jobs;
      const { strikes } = chaos;
      if (strikes < STRIKES && completed + failed > ((strikes + 1) * jobs) / (STRIKES + 1)) {
        chaos.strike();
      }
      return completed + failed >= jobs ? true : undefined;
    },
    limitMs,
  );
}

async function lookAtAll(
  endpoint: EndpointClient,
  history: History,
  jobs: ReadonlyMap<string, string>,
): Promise<Ended[]> {
  const ended: Ended[] = [];
  for (const [jobId, marker] of jobs) {
    const job = await endpoint.status(jobId);
    history.add({ type: "seen", jobId, status: job.status, output: job.output });
    ended.push({ marker, job });
    if (wayOf(marker).ends.chunks === undefined || job.status !== "COMPLETED") continue;
    const outputs: unknown[] = [];
    for await (const { output } of endpoint.stream(jobId)) outputs.push(output);
    history.add({ type: "streamed", jobId, outputs });
  }
  return ended;
}
