/** Kills the emulator at random moments while jobs are submitted and run, and looks for lost and repeated ones. */
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { sized } from "../../setup/size.ts";
import { eventually, processesMarked } from "../jobs/observe.ts";
import { makeCrashScene } from "./crash-scene.ts";
import { check, type Expectation } from "./history-checker.ts";
import { type Fact, type History, monotonicUs } from "./history.ts";
import { KillableEmulator } from "./killable-emulator.ts";
import { Lives, Progress } from "./lives.ts";
import { RecordingClient } from "./recording-client.ts";
import { SeededRandom, seedOfThisRun } from "./seeded-random.ts";

const JOBS = sized(150, 5_000);
const KILLS = sized(3, 50);
const CLIENTS = 32;
/** Above the size at which payloads become files. */
const BALLAST = "x".repeat(300_000);

interface Run {
  readonly history: History;
  readonly client: RecordingClient;
  readonly lives: Lives;
  readonly acknowledged: Progress;
  readonly ended: Progress;
  readonly random: SeededRandom;
  submissions: number;
  /** Until the last kill there is always work. */
  hasKills: boolean;
}

/** The marker says what the job does, and how it must end. */
function nextInput(run: Run, kind = kindOf(run.submissions)) {
  run.submissions += 1;
  return {
    marker: `${kind}-${run.submissions}`,
    workMs: run.random.integer(0, 40),
    ...(kind === "dies" ? { firstAttempt: "dies" } : {}),
    ...(kind === "heavy" ? { ballast: BALLAST } : {}),
  };
}

function kindOf(submission: number) {
  if (submission % 50 === 49) return "heavy";
  return submission % 60 === 59 ? "dies" : "plain";
}

function expected(marker: string): Expectation {
  const isHeavy = marker.startsWith("heavy-");
  return { statuses: ["COMPLETED"], ...(isHeavy ? { output: { ballast: BALLAST } } : {}) };
}

/** Submits one job after the other and waits for its end, over any number of lives of the service. */
async function submitAndWait(run: Run): Promise<void> {
  let life = await run.lives.after(0);
  while (run.hasKills || run.acknowledged.count < JOBS) {
    const jobId = await run.client.submit(nextInput(run));
    if (jobId === undefined) {
      life = await run.lives.after(life);
      continue;
    }
    run.acknowledged.add();
    while (!(await run.client.waitForEnd(jobId))) life = await run.lives.after(life);
    run.ended.add();
  }
}

/**
 * One life of the emulator. Most lives end after a random share of the remaining jobs was submitted, many not
 * before a job ended in them; one in six ends during the start. Returns the time of the kill.
 */
async function liveAndDie(run: Run, start: () => KillableEmulator, kill: number): Promise<number> {
  const begunAt = monotonicUs();
  await using emulator = start();
  const isReady = emulator.ready.then(() => run.lives.begin());
  if (kill % 6 === 3) {
    isReady.catch(() => undefined);
    await delay(run.random.integer(0, 400));
  } else {
    await isReady;
    if (kill % 3 !== 1) await run.ended.reached(run.ended.count + 1);
    const { count } = run.acknowledged;
    const share = ((0.2 + 1.6 * run.random.next()) * (JOBS - count)) / (KILLS - kill);
    await run.acknowledged.reached(Math.min(JOBS, Math.ceil(count + share)));
    await delay(run.random.integer(0, 150));
    // A handler process that died a moment ago may have left all workers idle.
    if (kill % 3 !== 1)
      await eventually("a worker has a job", async () =>
        holdsLease(run.history.facts(), begunAt, monotonicUs()) ? true : undefined,
      );
  }
  const at = monotonicUs();
  await emulator.kill();
  run.history.add({ type: "killed" });
  return at;
}

it(
  `an emulator that is killed ${KILLS} times during ${JOBS} jobs loses and repeats nothing`,
  { timeout: 600_000 },
  async () => {
    const random = new SeededRandom(seedOfThisRun());
    console.log(`seed: ${random.seed} (CRASH_SEED=${random.seed} repeats its choices)`);
    using scene = makeCrashScene({ jobs: { fixture: "writes-its-history.ts", workers: 2 } });
    const { history, config } = scene;
    await using first = new KillableEmulator({ config, port: 0 });
    const url = await first.ready;
    await first.kill();
    const start = () => new KillableEmulator({ config, port: Number(new URL(url).port) });
    await using client = new RecordingClient(history, url, "jobs");
    const lives = new Lives();
    const run = {
      history,
      client,
      lives,
      acknowledged: new Progress(),
      ended: new Progress(),
      random,
      submissions: 0,
      hasKills: true,
    };

    const clients = Array.from({ length: CLIENTS }, () => submitAndWait(run));
    const killedAt: number[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      killedAt.push(await liveAndDie(run, start, kill));
    }
    run.hasKills = false;
    await using last = start();
    await last.ready;
    lives.begin();
    await Promise.all(clients);
    // One handler process dies without a kill of the service.
    await client.submit(nextInput(run, "dies"));
    await eventually("every job has ended", async () => {
      const { inQueue, inProgress } = (await client.health()).jobs;
      return inQueue + inProgress === 0 ? true : undefined;
    });
    await eventually("an outcome under an ended lease was refused", async () =>
      history.facts().some((fact) => fact.type === "receipt" && fact.forged) ? true : undefined,
    );
    await last.kill();
    history.add({ type: "killed" });

    await using afterwards = start();
    await afterwards.ready;
    for (const jobId of jobIdsIn(history.facts())) await client.look(jobId);
    history.add({ type: "counted", completed: (await client.health()).jobs.completed });
    expect(await afterwards.stop()).toBe(0);
    expect(processesMarked(scene.mark)).toEqual([]);

    const facts = history.facts();
    expect(check(facts, expected)).toEqual([]);
    const figures = figuresOf(facts, killedAt);
    console.log("figure: kill anywhere", JSON.stringify(figures));
    // The run must have had the events that it is made for.
    expect(figures.acknowledged).toBeGreaterThanOrEqual(JOBS);
    expect(figures.killsAmidWork).toBeGreaterThan(KILLS / 3);
    expect(figures.handedOverAgain).toBeGreaterThan(KILLS);
    expect(figures.outcomesWithoutReceipt).toBeGreaterThan(0);
    expect(figures.forgedOutcomesRefused).toBeGreaterThan(0);
  },
);

function jobIdsIn(facts: readonly Fact[]): Set<string> {
  return new Set(facts.flatMap((fact) => ("jobId" in fact ? [fact.jobId] : [])));
}

/** Whether a worker had a job at that moment, in the life that began at `since`. */
function holdsLease(facts: readonly Fact[], since: number, at: number): boolean {
  const doneAt = new Map(
    facts.flatMap((fact) => (fact.type === "receipt" ? [[fact.leaseToken, fact.at] as const] : [])),
  );
  return facts.some(
    (fact) =>
      fact.type === "handed-over" &&
      since < fact.at &&
      fact.at < at &&
      at < (doneAt.get(fact.leaseToken) ?? Infinity),
  );
}

/** Figures of the run. */
function figuresOf(facts: readonly Fact[], killedAt: readonly number[]) {
  const all = <T extends Fact["type"]>(type: T) =>
    facts.filter((fact): fact is Extract<Fact, { type: T }> => fact.type === type);
  const handOvers = all("handed-over");
  const answered = new Set(all("receipt").map(({ leaseToken }) => leaseToken));
  return {
    kills: killedAt.length,
    killsAmidWork: killedAt.filter((at, kill) => holdsLease(facts, killedAt[kill - 1] ?? 0, at))
      .length,
    acknowledged: all("submitted").length,
    unanswered: all("submission-unanswered").length,
    neverArrived: all("submission-refused").length,
    handOvers: handOvers.length,
    handedOverAgain: handOvers.length - new Set(handOvers.map(({ jobId }) => jobId)).size,
    outcomesSent: all("outcome-sent").length,
    outcomesWithoutReceipt: all("outcome-sent").filter((fact) => !answered.has(fact.leaseToken))
      .length,
    forgedOutcomesRefused: all("receipt").filter((fact) => fact.forged && !fact.accepted).length,
  };
}
