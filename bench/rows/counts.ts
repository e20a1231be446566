/** Row: what a job takes of the emulator while others wait for a worker with concurrency 1, counted and not timed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { whatIsMissing } from "../../test/setup/debian-program.ts";
import { type Bench, interleave, newFolder, OTHER_CHECKOUT } from "../bench.ts";
import {
  API_KEY,
  type EmulatorPlace,
  type EmulatorProcess,
  startEmulatorFor,
} from "../emulator-process.ts";
import { type Line, lineOf } from "../line.ts";
import { submissionBody } from "../payload.ts";
import type { Row } from "./row.ts";

const WAITING = 50;
const counter = new URL("../programs/counts-messages.ts", import.meta.url);

/** Each for one job. */
interface Counts {
  readonly commits: number;
  readonly messages: number;
  /** NaN without strace. */
  readonly calls: number;
}

const WHAT: readonly (readonly [keyof Counts, string])[] = [
  ["commits", "commits"],
  ["messages", "messages to the store's thread"],
  ["calls", "system calls"],
];

async function commitsOf({ origin }: EmulatorProcess): Promise<number> {
  const headers = { authorization: `Bearer ${API_KEY}` };
  const text = await (await fetch(`${origin}/metrics`, { headers })).text();
  return Number(/^sv_store_commit_duration_seconds_count (\d+)/m.exec(text)?.[1]);
}

async function messagesOf({ pid }: EmulatorProcess, file: string): Promise<number> {
  fs.rmSync(file, { force: true });
  process.kill(pid, "SIGUSR2");
  for (let look = 0; look < 1_000 && !fs.existsSync(file); look += 1) await delay(1);
  return Number(fs.readFileSync(file, "utf8"));
}

/** System calls of all threads of the process while `run` lasts. */
async function callsOf(pid: number, file: string, run: () => Promise<unknown>): Promise<number> {
  const strace = spawn("strace", ["-c", "-f", "-p", String(pid), "-o", file], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(strace, "exit");
  await once(strace.stderr, "data");
  await run();
  strace.kill("SIGINT");
  await exited;
  const total = /^\s*100\.00\s+\S+\s+\S+\s+(\d+).* total$/m.exec(fs.readFileSync(file, "utf8"));
  return Number(total?.[1]);
}

async function ofEmulator(
  bench: Bench,
  parts: AsyncDisposableStack,
  place: EmulatorPlace = {},
): Promise<() => Promise<Counts>> {
  const folder = newFolder(bench, "counts");
  const messages = path.join(folder, "messages");
  const env = { NODE_OPTIONS: `--import ${counter.href}`, BENCH_MESSAGES: messages };
  const served = { echo: { handler: "one-at-a-time", workers: 1 } } as const;
  const emulator = parts.use(await startEmulatorFor(folder, served, { ...place, env }));
  const job = emulator.submission("echo", "runsync", submissionBody);
  const load = { inFlight: WAITING + 1, durationMs: bench.quick ? 500 : 2_000 };
  const run = () => bench.client.load(job, load, '"COMPLETED"');
  const hasStrace = whatIsMissing("the count of system calls", ["strace"]) === undefined;
  return async () => {
    const before = [await commitsOf(emulator), await messagesOf(emulator, messages)] as const;
    const { answers } = await run();
    const commits = (await commitsOf(emulator)) - before[0];
    const sent = (await messagesOf(emulator, messages)) - before[1];
    let traced = Number.NaN;
    const calls = hasStrace
      ? await callsOf(emulator.pid, path.join(folder, "calls"), async () => {
          traced = (await run()).answers;
        })
      : Number.NaN;
    return { commits: commits / answers, messages: sent / answers, calls: calls / traced };
  };
}

async function measure(bench: Bench): Promise<readonly Line[]> {
  await using parts = new AsyncDisposableStack();
  const ours = await ofEmulator(bench, parts);
  const { against } = bench;
  const before =
    against === undefined ? undefined : await ofEmulator(bench, parts, { checkout: against });
  const counted = await interleave<string, Counts>(bench, bench.rounds, {
    ours,
    ...(before && { before }),
  });
  const seriesOf = (name: string, what: keyof Counts) => counted[name]?.map((each) => each[what]);
  return WHAT.map(([name, what]) =>
    lineOf({
      ...{ what: `${what} for a job, ${WAITING} queued`, unit: "" },
      ...{ ours: seriesOf("ours", name) ?? [], beside: OTHER_CHECKOUT },
      others: seriesOf("before", name),
    }),
  );
}

export const counts: Row = {
  id: "counts",
  title: "Counts: what a job takes of the emulator, one worker with concurrency 1",
  measure,
};
