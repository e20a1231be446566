/** Emulators on one PostgreSQL database under load with all kinds of faults; a checker judges the history. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { MachineStalls } from "../../machine-stalls.ts";
import { type ClocksInSleep, fakeTimeIn, fakeTimeIsMissing } from "../../setup/fake-time.ts";
import { makeNetworkNamespace, namespaceIsMissing } from "../../setup/network-namespace.ts";
import { postgresIsMissing, startPostgres } from "../../setup/postgres.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";
import { makeCrashScene } from "../crash/crash-scene.ts";
import type { Fact } from "../crash/history.ts";
import { API_KEY } from "../crash/killable-emulator.ts";
import { SeededRandom, seedOfThisRun } from "../crash/seeded-random.ts";
import { processesMarked } from "../jobs/observe.ts";
import { foreignWrites, watchWrites } from "./audit.ts";
import { strikeUntil } from "./faults.ts";
import { figuresOf } from "./figures.ts";
import { checkFleet } from "./fleet-checker.ts";
import { FleetClient, type KnownJob } from "./fleet-client.ts";
import { Fleet } from "./fleet.ts";
import { endOf, Load, lookBack } from "./load.ts";
import { listenForJobs } from "./receiver.ts";
import { Gleaner, settle } from "./settle.ts";

/** All emulators are up at once; any of them takes any request. */
const REPLICAS = Number(process.env["CLUSTER_REPLICAS"] ?? 2);
const SHARING = {
  seats: REPLICAS,
  atOnce: REPLICAS,
  // The first emulator runs in a namespace, which is another machine for the others.
  args: (url: string): readonly string[] => ["--advertise", url, "--insecure-replicas", "on"],
};

const LENGTH_MS = Number(process.env["CLUSTER_SECONDS"] ?? 1_800) * 1_000;
const SNAPSHOT_MS = 300_000;
const CLIENTS = Number(process.env["CLUSTER_CLIENTS"] ?? 12);
const LETTERS = ["a", "b", "c"];
/** Ends what has begun, and looks at every job. */
const SETTLE_MS = 300_000;

function endpoints() {
  const more = { retries: { workerLost: 100, handlerError: 0 } };
  const of = (kind: string, fixture: string) =>
    LETTERS.map((letter) => [`${kind}-${letter}`, { fixture, workers: 1, more }] as const);
  return Object.fromEntries([
    ...of("jobs", "writes-its-history.ts"),
    ...of("streams", "streams-its-history.ts"),
  ]);
}

/** The service time of each replica. */
function serviceTimes(urls: readonly string[]): Promise<readonly number[]> {
  const headers = { authorization: `Bearer ${API_KEY}` };
  return Promise.all(
    urls.map(async (url) => {
      const answer = await fetch(`${url}/emulator/clock`, { headers });
      const { nowMs } = (await answer.json()) as { readonly nowMs: number };
      return nowMs;
    }),
  );
}

/** A history with violations is kept beside the output of the emulators. */
function keep(facts: readonly Fact[], fleet: Fleet, seed: number): string {
  const kept = path.join(os.tmpdir(), `sv-cluster-${seed}`);
  // After half an hour the history is longer than a string can be.
  const file = fs.openSync(`${kept}.jsonl`, "w");
  for (const fact of facts) fs.writeSync(file, `${JSON.stringify(fact)}\n`);
  fs.closeSync(file);
  for (const { number, said } of fleet.seats) fs.writeFileSync(`${kept}-${number}.log`, said);
  return `${kept}*`;
}

it.skipIf(postgresIsMissing !== undefined)(
  `a cluster loses, repeats and contradicts nothing in ${LENGTH_MS / 1_000} s of faults`,
  { timeout: LENGTH_MS + 2 * SETTLE_MS },
  async () => {
    const seed = seedOfThisRun();
    console.log(`seed: ${seed} (CRASH_SEED=${seed} repeats its choices)`);
    using clocks = new DisposableStack();
    const clockOf = (clocksThatLeap: ClocksInSleep, speed: number) => {
      if (fakeTimeIsMissing !== undefined) return undefined;
      const { path: directory } = clocks.use(temporaryDirectory());
      // The database server runs as another user.
      fs.chmodSync(directory, 0o755);
      return fakeTimeIn(directory, clocksThatLeap, speed);
    };
    const databaseClock = clockOf("wall", 0.98);
    await using postgres = await startPostgres([], undefined, databaseClock?.env);
    using scene = makeCrashScene(endpoints());
    const { history, mark } = scene;
    const url = postgres.url();
    const random = new SeededRandom(seed);
    await using namespace =
      namespaceIsMissing === undefined ? await makeNetworkNamespace() : undefined;
    await using fleet = await Fleet.make({
      ...{ scene, store: url, random, namespace, ...SHARING },
      clocks: (seat) => (seat % 2 === 0 ? clockOf("wall", 1.03) : clockOf("all", 1.02)),
    });
    fleet.begin((seat, says) => history.add({ type: "died", seat, says }));
    await fleet.isWhole(60_000);
    await watchWrites(url);
    await using receiver = await listenForJobs(history, namespace?.outside ?? "127.0.0.1");
    using leaving = new DisposableStack();
    const left = new AbortController();
    leaving.defer(() => left.abort());
    const over = AbortSignal.any([left.signal, AbortSignal.timeout(LENGTH_MS + SETTLE_MS)]);
    const stop = AbortSignal.timeout(LENGTH_MS);
    const urls = fleet.seats.map((seat) => seat.url);
    const client = (n: number) =>
      new FleetClient({ history, urls, random: new SeededRandom(seed + n), over });
    const gleaner = new Gleaner(client(103));
    const done: KnownJob[] = [];
    const loads = Array.from(
      { length: CLIENTS },
      (_, n) =>
        new Load({
          client: client(n + 1),
          name: `${n}`,
          letters: LETTERS,
          webhook: receiver.url,
          done,
        }),
    );
    await using stalls = await MachineStalls.watch();
    const struck = { fleet, postgres, url, random, history, mark };
    const faults = { ...struck, databaseClock, snapshotMs: SNAPSHOT_MS };
    await Promise.all([
      strikeUntil(faults, stop),
      ...loads.map((load) => load.run(stop)),
      ...[101, 102].map((n) => lookBack(client(n), done, stop)),
      gleaner.run(stop),
    ]);
    await settle(client(104), gleaner, LETTERS);
    await receiver.hasHeardAll();
    const leftBehindMs = LENGTH_MS * 0.05 + 60_000;
    for (const at of await serviceTimes(urls))
      expect(Math.abs(at - Date.now())).toBeLessThan(leftBehindMs);
    for (const says of await foreignWrites(url)) history.add({ type: "foreign-write", says });
    expect(await fleet.stop()).toEqual(Array.from({ length: SHARING.atOnce }, () => 0));
    expect(processesMarked(mark)).toEqual([]);
    const facts = history.facts();
    const violations = checkFleet(facts, endOf);
    const figures = figuresOf(facts);
    console.log("figure: cluster", JSON.stringify(figures));
    if (violations.length > 0) console.log(`all that was seen is in ${keep(facts, fleet, seed)}`);
    expect(violations).toEqual([]);
    if (SHARING.atOnce === 1) return;
    // The other replicas take over.
    expect(figures.acceptedAfterMs["kill"] ?? 0).toBeLessThan(10_000 + stalls.ms);
    expect(figures.acceptedAfterMs["stop"] ?? 0).toBeLessThan(2_000 + stalls.ms);
  },
);
