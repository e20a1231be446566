/**
 * A disk that stalls under load: no worker is lost for it, every client gets an answer, and no acknowledged job is
 * lost.
 */
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { ConnectionError, ServiceUnavailableError } from "../../../runtime/client/index.ts";
import { injectIntoSyncs, straceIsMissing } from "../../setup/strace.ts";
import { eventually, peakBytes, resetPeakBytes } from "./observe.ts";
import { Stage } from "./stage.ts";

/** Number of clients that submit at the same time: more than fit in a batch, with twice its bytes. */
const CLIENTS = 1_100;
const PADDING = "x".repeat(16_000);
const CHUNKS = Array.from({ length: 60 }, (_, number) => number);
/** Maximum growth of the emulator's memory while all of them wait. */
const MAX_GROWTH_BYTES = 200_000_000;
/** Time after which a client without room in a batch is refused, and the maximum delay of its refusal. */
const [ROOM_WAIT_MS, PROMPT_MS] = [10_000, 5_000];
/** Number of clients that measure this machine before the stall; twice their time is an acceptable answer. */
const FIRST_CLIENTS = CLIENTS / 10;
const COMPLAINTS = /could not|lost|said nothing|did not renew|unresponsive/;

interface Output {
  readonly marker: string;
  readonly attempt: number;
}

interface Submission {
  readonly marker: string;
  /** Undefined if it was refused. */
  readonly id: string | undefined;
  readonly tookMs: number;
}

async function setScene() {
  const workers = { workersMin: 2, workersMax: 2 };
  const stage = await Stage.set({
    endpoints: {
      work: { handler: "writes-its-history.ts", ...workers },
      streams: { handler: "streams-its-history.ts", ...workers },
    },
  });
  const work = () => stage.endpoint<Output>("work");
  const pid = () => stage.emulator.child.pid ?? 0;
  return {
    stage,
    work,
    pid,
    async submit(marker: string): Promise<Submission> {
      const startedAt = performance.now();
      const input = { marker, workMs: 0, padding: PADDING };
      const id = await work()
        .run(input)
        .then((job) => job.id, refusal);
      return { marker, id, tookMs: performance.now() - startedAt };
    },
    /** Delays the next sync of each thread of the emulator; resolves when one has begun. */
    async stall(stallMs: number) {
      const syncs = await injectIntoSyncs(pid(), `delay_enter=${stallMs * 1_000}:when=1`);
      await eventually("a sync hangs", () => (syncs.begun > 0 ? true : undefined));
      return syncs;
    },
    /** Traces syncs in the same way, without a delay. */
    watchSyncs: () => injectIntoSyncs(pid(), "delay_enter=1"),
    /** The counts of the endpoint when none of its jobs is left to do. */
    idle: () =>
      eventually("all jobs have ended", async () => {
        const { jobs } = await work().health();
        return jobs.inQueue + jobs.inProgress === 0 ? jobs : undefined;
      }),
    jobs: (submitted: readonly Submission[]) =>
      Promise.all(
        submitted.flatMap(({ id, marker }) =>
          id === undefined
            ? []
            : work()
                .status(id)
                .then((job) => ({ job, marker })),
        ),
      ),
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  };
}

type Scene = Awaited<ReturnType<typeof setScene>>;

/** Returns undefined if the client is refused for lack of room in a batch. */
function refusal(error: unknown): undefined {
  if (!(error instanceof ServiceUnavailableError)) throw error;
  expect(error).toMatchObject({ status: 503, code: "storage_busy", retryAfterMs: ROOM_WAIT_MS });
}

/** Ends two running jobs while nothing can be stored; returns their outcome. */
async function runTwo({ stage, work }: Scene) {
  const streams = stage.endpoint<Output>("streams");
  const input = { marker: "streaming", chunks: CHUNKS, pauseMs: 50 };
  const streaming = await streams.run(input);
  const begun = Promise.withResolvers<void>();
  const outputs = Array.fromAsync(streams.stream(streaming.id), ({ output }) => {
    begun.resolve();
    return output;
  });
  await begun.promise;
  const policy = { executionTimeout: 5_000 };
  const { id } = await work().run({ marker: "running", workMs: 2_000 }, { policy });
  await eventually("the job runs", async () =>
    (await work().status(id)).status === "IN_PROGRESS" ? true : undefined,
  );
  return { id, outputs, ended: () => Promise.all([work().wait(id), streams.wait(streaming.id)]) };
}

/** All clients submit at once, and again while they are refused; returns all submissions. */
async function press(scene: Scene, clients: number): Promise<readonly Submission[]> {
  const client = async (number: number): Promise<readonly Submission[]> => {
    const made = await scene.submit(`client ${number}`);
    return made.id === undefined ? [made, ...(await client(number))] : [made];
  };
  return (await Promise.all(Array.from({ length: clients }, (_, number) => client(number)))).flat();
}

/** Time after a stall within which all clients are answered, ms. */
async function promptMs(scene: Scene): Promise<number> {
  await using _ = await scene.watchSyncs();
  const startedAt = performance.now();
  await press(scene, FIRST_CLIENTS);
  const usualMs = (performance.now() - startedAt) * (CLIENTS / FIRST_CLIENTS);
  await scene.idle();
  return Math.max(PROMPT_MS, 2 * usualMs);
}

describe.runIf(straceIsMissing === undefined)("a disk that stalls", { concurrent: true }, () => {
  test.each([5_000, 15_000])(
    "for %i ms ends no worker and no job, costs no attempt, and every client gets an answer",
    async (stallMs) => {
      await using scene = await setScene();
      const { stage, work } = scene;
      const prompt = await promptMs(scene);
      const two = await runTwo(scene);
      const bytesBefore = resetPeakBytes({ pid: scene.pid() });
      await using _ = await scene.stall(stallMs);
      const held = Array.from({ length: 20 }, (__, number) =>
        work()
          .runSync({ marker: `held ${number}`, workMs: 0 })
          .then(({ output }) => output.attempt, refusal),
      );
      const polled = Array.from({ length: 20 }, () => work().status(two.id));
      const submitted = await press(scene, CLIENTS);
      const grownBytes = peakBytes({ pid: scene.pid() }) - bytesBefore;
      const attempts = (await Promise.all(held)).filter((attempt) => attempt !== undefined);
      await Promise.all(polled);

      const counts = await scene.idle();
      const jobs = await scene.jobs(submitted);
      for (const { job, marker } of jobs)
        expect(job).toMatchObject({ status: "COMPLETED", output: { marker, attempt: 1 } });
      expect(attempts.filter((attempt) => attempt !== 1)).toEqual([]);
      expect(await two.ended()).toMatchObject([
        { output: { attempt: 1 } },
        { output: { attempt: 1 } },
      ]);
      expect(await two.outputs).toEqual(CHUNKS);
      // The service has no refused job.
      expect(jobs).toHaveLength(CLIENTS);
      expect(counts).toMatchObject({
        completed: FIRST_CLIENTS + CLIENTS + attempts.length + 1,
        failed: 0,
        retried: 0,
      });
      expect(new Set(jobs.map(({ job }) => job.workerId)).size).toBe(2);
      expect(stage.emulator.stderrLines.filter((line) => COMPLAINTS.test(line))).toEqual([]);
      const waits = (isRefused: boolean) =>
        submitted.filter(({ id }) => (id === undefined) === isRefused).map(({ tookMs }) => tookMs);
      const [taken, refused] = [waits(false), waits(true)];
      const grown = `memory grew by ${Math.round(grownBytes / 1e6)} MB, ${refused.length} refused`;
      const longest = `the longest wait ${Math.round(Math.max(...taken))} ms`;
      console.log(`figure: a stall of ${stallMs} ms: ${grown}, ${longest}`);
      expect(refused.length > 0).toBe(stallMs > ROOM_WAIT_MS);
      expect(Math.max(...refused)).toBeLessThan(ROOM_WAIT_MS + prompt);
      expect(Math.max(...taken)).toBeLessThan(stallMs + prompt);
      expect(grownBytes).toBeLessThan(MAX_GROWTH_BYTES);
    },
  );

  test("until the emulator is killed loses no acknowledged job", async () => {
    await using scene = await setScene();
    const { stage } = scene;
    const acknowledged: Submission[] = [];
    const client = async (number: number): Promise<void> => {
      const made = await scene.submit(`client ${number}`);
      acknowledged.push(made);
      await client(number);
    };
    const clients = Array.from({ length: 50 }, (_, number) => client(number));
    const ends = Promise.allSettled(clients);
    await eventually("many are answered", () => (acknowledged.length > 100 ? true : undefined));
    await using syncs = await scene.stall(600_000);
    await eventually("nobody is answered any more", async () => {
      const before = acknowledged.length;
      await delay(300);
      return acknowledged.length === before ? true : undefined;
    });
    await syncs.killProcess();
    for (const end of await ends)
      expect(end).toMatchObject({ status: "rejected", reason: expect.any(ConnectionError) });
    await stage.kill();
    await stage.start();
    await scene.idle();
    for (const { job, marker } of await scene.jobs(acknowledged))
      expect(job).toMatchObject({ status: "COMPLETED", output: { marker } });
  });
});
