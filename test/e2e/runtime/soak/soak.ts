/** Two thousand good and bad jobs on four workers that are struck at random; what must never happen is looked for. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "vitest";
import {
  createClient,
  isTerminal,
  type EndpointClient,
  type Job,
} from "../../../../runtime/client/index.ts";
import { check } from "../../crash/history-checker.ts";
import { type Fact, History } from "../../crash/history.ts";
import { SeededRandom, seedOfThisRun } from "../../crash/seeded-random.ts";
import { eventually, processesMarked } from "../../jobs/observe.ts";
import { Chaos } from "./chaos.ts";
import { LibraryEmulator } from "./library-emulator.ts";
import { type Way, wayOf, WAYS } from "./ways.ts";

const WORKERS = 4;
const CONCURRENCY = 8;
const STRIKES = 20;
const LEASE_MS = 3_000;
/** No job is struck more often than there are strikes, so none but those that crash each time can use up its tries. */
const TRIES_LEFT = STRIKES + 1;
const API_KEY = "soak-key";
const SUBMITTERS = 16;

const handler = path.resolve(
  import.meta.dirname,
  "../../../fixtures/handlers/misbehaves-in-many-ways.ts",
);
const tap = new URL("../../../fixtures/preload/taps-the-session.ts", import.meta.url);

export async function soak(limitMs: number): Promise<void> {
  const random = new SeededRandom(seedOfThisRun());
  console.log(`seed: ${random.seed} (CRASH_SEED=${random.seed} repeats its choices)`);
  const startedAt = performance.now();
  using scene = makeScene();
  const { history, mark } = scene;
  await using emulator = await LibraryEmulator.start(scene.options, scene.temporary);
  await using client = createClient({ baseUrl: emulator.url, apiKey: API_KEY });
  const endpoint = client.endpoint("soak");
  const chaos = new Chaos({ mark, random, leaseMs: LEASE_MS });

  const jobs = await submitAll(endpoint, history, shuffled(random));
  await strikeUntilAllEnded(endpoint, chaos, jobs.size, limitMs);
  await chaos.isOver();
  const ended = await lookAtAll(endpoint, history, jobs);
  const { completed } = (await endpoint.health()).jobs;
  history.add({ type: "counted", completed });
  expect(await emulator.stop()).toBe(0);

  const left = processesMarked(mark);
  for (const { pid } of left) process.kill(pid, "SIGKILL");
  expect(left).toEqual([]);
  // Its sockets among them. Node keeps what it compiled.
  expect(fs.readdirSync(scene.temporary)).toEqual(["node-compile-cache"]);
  const facts = history.facts();
  const seconds = (performance.now() - startedAt) / 1_000;
  console.log("figure: soak", JSON.stringify(figuresOf(facts, chaos, ended, emulator, seconds)));
  expect(check(facts, (marker) => wayOf(marker).ends)).toEqual([]);
  expect(wrongEnds(ended, chaos)).toEqual([]);
  // What the run was made for did happen in it.
  expect(chaos.kills + chaos.stops).toBe(STRIKES);
  expect(emulator.log.some(({ msg }) => String(msg).includes("it is lost"))).toBe(true);
  expect(forgedOutcomes(facts)).toBeGreaterThan(0);
}

function makeScene() {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "sv-soak-"));
  const temporary = path.join(directory, "tmp");
  fs.mkdirSync(temporary);
  const facts = path.join(directory, "facts.jsonl");
  const env = {
    TAP_FILE: facts,
    NODE_OPTIONS: `--max-old-space-size=192 --import ${tap.href}`,
    SV_GRACE_MS: "300",
  };
  const settings = {
    workersMin: WORKERS,
    workersMax: WORKERS,
    executionTimeoutMs: 120_000,
    retries: { workerLost: TRIES_LEFT, handlerError: 0 },
  };
  return {
    temporary,
    history: new History(facts),
    mark: `TAP_FILE=${facts}`,
    options: {
      port: 0,
      apiKey: API_KEY,
      dataDir: path.join(directory, "data"),
      leaseMs: LEASE_MS,
      handlers: [{ id: "soak", path: handler, env, settings }],
    },
    [Symbol.dispose]: () => fs.rmSync(directory, { recursive: true, force: true }),
  };
}

/** A marker for each job, in the order in which they are submitted. */
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
      const struck = chaos.kills + chaos.stops;
      if (struck < STRIKES && completed + failed > ((struck + 1) * jobs) / (STRIKES + 1)) {
        chaos.strike();
      }
      return completed + failed >= jobs ? true : undefined;
    },
    limitMs,
  );
}

interface Ended {
  readonly marker: string;
  readonly job: Job;
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

/** What is wrong with certificates and tries; statuses and outputs are the history checker's. */
function wrongEnds(ended: readonly Ended[], chaos: Chaos): string[] {
  const wrong = ended.flatMap(({ marker, job }) => {
    const way = wayOf(marker);
    const problems = [...wrongTries(way, job), ...wrongCertificate(way, job, chaos)];
    return problems.map((problem) => `${marker}: ${problem} (${JSON.stringify(job)})`);
  });
  // Each strike costs each job of one worker one try; the neighbours of a job that crashed pay nothing.
  const paid = ended.filter(({ marker }) => wayOf(marker).crashes === undefined);
  const tries = paid.reduce((sum, { job }) => sum + (job.retries ?? 0), 0);
  const most = STRIKES * CONCURRENCY;
  return tries <= most ? wrong : [...wrong, `${tries} tries were lost to ${STRIKES} strikes`];
}

function wrongTries({ crashes }: Way, { retries = 0 }: Job): string[] {
  if (crashes === "always")
    return retries === TRIES_LEFT ? [] : [`${retries} retries, not ${TRIES_LEFT}`];
  const most = STRIKES + (crashes === "once" ? 1 : 0);
  return retries <= most ? [] : [`${retries} retries, ${most} at most`];
}

/** The last attempt of a job that crashes each time may have been struck instead: then its worker is one that was. */
function wrongCertificate(way: Way, { status, failure }: Job, chaos: Chaos): string[] {
  if (way.failure === undefined) return failure === undefined ? [] : ["a certificate"];
  if (failure === undefined || !isTerminal(status)) return ["no certificate"];
  if (way.crashes === "always" && failure.type === "worker_lost")
    return chaos.struck.has(failure.workerId ?? "") ? [] : ["nobody struck its worker"];
  const { type, message, ...certain } = way.failure;
  const isRight =
    failure.type === type &&
    (message === undefined || failure.message.includes(message)) &&
    failure.exitCode === certain.exitCode &&
    failure.signal === certain.signal &&
    failure.workerId !== undefined;
  return isRight ? [] : ["a wrong certificate"];
}

function forgedOutcomes(facts: readonly Fact[]): number {
  return facts.filter((fact) => fact.type === "receipt" && fact.forged).length;
}

/** What happened, in numbers. */
function figuresOf(
  facts: readonly Fact[],
  { kills, stops }: Chaos,
  ended: readonly Ended[],
  { log }: LibraryEmulator,
  seconds: number,
) {
  const handOvers = facts.filter(({ type }) => type === "handed-over").length;
  const refused = facts.filter((fact) => fact.type === "receipt" && !fact.accepted);
  const said = (words: string) => log.filter(({ msg }) => String(msg).includes(words)).length;
  return {
    seconds: Math.round(seconds),
    jobs: ended.length,
    handOvers,
    triesLost: ended.reduce((sum, { job }) => sum + (job.retries ?? 0), 0),
    kills,
    stops,
    workersStarted: said("worker started"),
    workersGivenUp: said("it is lost"),
    staleOutcomesRefused: refused.length,
    ofThemForged: forgedOutcomes(facts),
  };
}
