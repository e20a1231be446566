/** Row: cost of two thousand connected workers, on one replica and spread over two, beside twenty. */
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { freePort } from "../../test/setup/free-port.ts";
import { Program } from "../asking.ts";
import { type Bench, interleave, newFolder } from "../bench.ts";
import { submissionTo } from "../emulator-process.ts";
import { type Line, lineOf } from "../line.ts";
import { submissionBody } from "../payload.ts";
import { type PostgresServer, startPostgresServer } from "../peers/postgres-server.ts";
import { cpuMs, rssBytes } from "../processes.ts";
import { median } from "../statistics.ts";
import { number } from "../table.ts";
import type { Row } from "./row.ts";

const ENDPOINTS = Array.from({ length: 20 }, (_, at) => `echo-${at}`);
const FEW = 1;
const MANY = 100;
const EXPECTED = '"COMPLETED"';
const IN_FLIGHT = 20;
const KB = 1_000;
const BYTES_PER_MB = 1_000_000;
/** Time after the last worker has connected. */
const SETTLE_MS = 3_000;
/** Interval between messages of a worker without a job, s. */
const RENEWAL_S = 5;
const PATIENCE_MS = 180_000;
const LOOK_MS = 20;

interface Figures {
  readonly rssMb: number;
  /** Processor time of a second without jobs, ms. */
  readonly idleMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Replicas, and a program with their workers. */
class Crowd implements AsyncDisposable {
  readonly #bench: Bench;
  readonly #store: string;
  readonly #workersEach: number;
  readonly #folder: string;
  readonly #workers = new Program("simulated-workers");
  #replicas: { readonly program: Program; readonly origin: string }[] = [];

  private constructor(bench: Bench, store: string, workersEach: number) {
    this.#bench = bench;
    this.#store = store;
    this.#workersEach = workersEach;
    this.#folder = newFolder(bench, "crowd");
  }

  /** Resolves when all workers are connected. */
  static async start(
    bench: Bench,
    server: PostgresServer,
    [name, replicas, workersEach]: readonly [string, number, number],
  ): Promise<Crowd> {
    const crowd = new Crowd(bench, await server.database(name), workersEach);
    await crowd.#workers.ask(z.null(), { kind: "listen", socket: crowd.#socket });
    for (let at = 0; at < replicas; at += 1) await crowd.join();
    await crowd.spread();
    return crowd;
  }

  /** One more replica, which takes requests. */
  async join(): Promise<void> {
    const program = new Program("crowded-replica");
    const workers = Object.fromEntries(ENDPOINTS.map((id) => [id, this.#workersEach]));
    const folder = newFolder(this.#bench, "replica");
    const asked = { folder, store: this.#store, port: await freePort(), socket: this.#socket };
    const origin = await program.ask(z.string(), { ...asked, workers });
    this.#replicas.push({ program, origin });
  }

  /** Resolves when all workers have been connected for a while, so that their endpoints no longer move. */
  async spread(): Promise<void> {
    await this.connected();
    if (this.#replicas.length > 1) await wait(4 * SETTLE_MS);
    await this.connected();
    await wait(SETTLE_MS);
  }

  async connected(): Promise<void> {
    const startedAt = performance.now();
    while ((await this.#workers.ask(z.number(), { kind: "connected" })) !== this.#all) {
      if (performance.now() - startedAt > PATIENCE_MS)
        throw new Error(`${this.#all} workers did not connect.`);
      await wait(LOOK_MS);
    }
  }

  async figures(): Promise<Figures> {
    const { client, quick } = this.#bench;
    const pids = this.#replicas.map(({ program }) => program.pid);
    const total = (of: (pid: number) => number) => pids.reduce((sum, pid) => sum + of(pid), 0);
    const seconds = (quick ? 1 : 2) * RENEWAL_S;
    const before = total(cpuMs);
    await wait(seconds * 1_000);
    const idleMs = (total(cpuMs) - before) / seconds;
    const subjects = this.#replicas.flatMap(({ origin }) =>
      ENDPOINTS.map((id) => submissionTo(origin, id, "runsync", submissionBody)),
    );
    const load = { inFlight: IN_FLIGHT, durationMs: quick ? 1_500 : 4_000 };
    const { p50Ms, p99Ms } = await client.load(subjects, load, EXPECTED);
    return { rssMb: total((pid) => (rssBytes(pid) ?? NaN) / BYTES_PER_MB), idleMs, p50Ms, p99Ms };
  }

  /**
   * Time from the end of the first replica until all workers are connected again. Another replica runs, or is started at once.
   */
  async takeoverMs(): Promise<number> {
    const [first, ...others] = this.#replicas.splice(0);
    this.#replicas = others;
    if (first === undefined) throw new Error("There is no replica.");
    await this.#bench.client.leave(first.origin);
    const startedAt = performance.now();
    first.program.child.kill("SIGKILL");
    while ((await this.#workers.ask(z.number(), { kind: "connected" })) === this.#all)
      await wait(LOOK_MS);
    if (others.length === 0) await this.join();
    await this.connected();
    const tookMs = performance.now() - startedAt;
    if (others.length > 0) await this.join();
    await this.spread();
    return tookMs;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { program, origin } of this.#replicas) {
      await this.#bench.client.leave(origin);
      await program[Symbol.asyncDispose]();
    }
    await this.#workers[Symbol.asyncDispose]();
  }

  get #all(): number {
    return ENDPOINTS.length * this.#workersEach;
  }

  get #socket(): string {
    return path.join(this.#folder, "workers.sock");
  }
}

async function measure(bench: Bench): Promise<readonly Line[]> {
  await using parts = new AsyncDisposableStack();
  const server = parts.use(await startPostgresServer(bench));
  const start = async (...crowd: readonly [string, number, number]) =>
    parts.use(await Crowd.start(bench, server, crowd));
  const crowds = {
    fewOnOne: await start("few-on-one", 1, FEW),
    manyOnOne: await start("many-on-one", 1, MANY),
    fewOnTwo: await start("few-on-two", 2, FEW),
    manyOnTwo: await start("many-on-two", 2, MANY),
  };
  const each = async <T>(rounds: number, of: (crowd: Crowd) => Promise<T>) =>
    interleave(bench, rounds, {
      fewOnOne: () => of(crowds.fewOnOne),
      manyOnOne: () => of(crowds.manyOnOne),
      fewOnTwo: () => of(crowds.fewOnTwo),
      manyOnTwo: () => of(crowds.manyOnTwo),
    });
  const figures = await each(bench.quick ? 2 : 5, (crowd) => crowd.figures());
  const takeovers = await each(bench.quick ? 1 : 3, (crowd) => crowd.takeoverMs());
  return (["One", "Two"] as const).flatMap((on) => {
    const [many, few] = [figures[`manyOn${on}`], figures[`fewOn${on}`]];
    const where = on === "One" ? "one replica" : "two replicas";
    const workers = ENDPOINTS.length * MANY;
    const beside = `${ENDPOINTS.length * FEW} workers`;
    const line = (what: string, unit: "MB" | "ms", of: (each: Figures) => number): Line =>
      lineOf({
        what: `${workers} workers, ${where}: ${what}`,
        unit,
        ours: many.map(of),
        beside,
        others: few.map(of),
        notes: [`${where}: ${number(kbEach(many, few))} kB of RSS for a session`],
      });
    return [
      line("RSS", "MB", ({ rssMb }) => rssMb),
      line("processor time of an idle second", "ms", ({ idleMs }) => idleMs),
      line(`/runsync p50, ${IN_FLIGHT} in flight`, "ms", ({ p50Ms }) => p50Ms),
      line(`/runsync p99, ${IN_FLIGHT} in flight`, "ms", ({ p99Ms }) => p99Ms),
      lineOf({
        what: `${workers} workers, ${where}: from a kill ${on === "One" ? "and restart " : ""}of one until all are connected`,
        unit: "ms",
        ours: takeovers[`manyOn${on}`],
        beside,
        others: takeovers[`fewOn${on}`],
      }),
    ];
  });
}

function kbEach(many: readonly Figures[], few: readonly Figures[]): number {
  const rssMb = (figures: readonly Figures[]) => median(figures.map((each) => each.rssMb));
  const sessions = ENDPOINTS.length * (MANY - FEW);
  return ((rssMb(many) - rssMb(few)) * BYTES_PER_MB) / KB / sessions;
}

export const sessions: Row = {
  id: "sessions",
  title: "Two thousand connected, simulated workers on PostgreSQL",
  measure,
};
