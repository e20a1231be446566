/** Row: memory of the idle processes, beside a bare Node process. */
import { setTimeout as wait } from "node:timers/promises";
import { type Bench, interleave, newFolder, OTHER_CHECKOUT } from "../bench.ts";
import { type EmulatorPids, jobDone, startEmulatorFor } from "../emulator-process.ts";
import { spawnIdleNode } from "../floors/idle-node.ts";
import { atMost, type Line, lineOf } from "../line.ts";
import { endProcess, familyOf, pssBytes, rssBytes } from "../processes.ts";
import { median } from "../statistics.ts";
import type { Row } from "./row.ts";

/** Time after the first job, in which leftovers of the start are collected. */
const SETTLE_MS = 1500;
const BYTES_PER_MB = 1_000_000;

const MANY = 5;
const MANY_ROUNDS = 3;
const MANY_LIMIT = 0.85;
/** Maximum ratio of all three processes to the other checkout's. */
const MORE_MB = 20;
const NAMES = {
  emulator: "emulator",
  supervisor: "worker: supervisor",
  handler: "worker: handler process",
} as const satisfies Record<keyof EmulatorPids, string>;

type Sizes = Readonly<Record<keyof EmulatorPids, number>>;

async function measure(bench: Bench): Promise<readonly Line[]> {
  const { against } = bench;
  const subjects: Record<string, () => Promise<Sizes>> = {
    ours: () => sizesOf(bench),
    bare: sizesOfNode,
    ...(against !== undefined && { other: () => sizesOf(bench, against) }),
  };
  const rounds = bench.quick ? 1 : bench.rounds;
  const measured = await interleave(bench, rounds, subjects);
  const { ours = [], bare = [], other } = measured;
  const parts = (["emulator", "supervisor", "handler"] as const).map((part) =>
    lineOf({
      what: `RSS, ${NAMES[part]}`,
      unit: "MB",
      ours: ours.map((sizes) => sizes[part]),
      beside: "idle Node process",
      others: bare.map((sizes) => sizes[part]),
    }),
  );
  if (other === undefined) return parts;
  const many = await interleave<string, number>(bench, bench.quick ? 1 : MANY_ROUNDS, {
    ours: () => megabytesOfMany(bench),
    other: () => megabytesOfMany(bench, against),
  });
  return [
    ...parts,
    together(ours.map(total), other.map(total)),
    lineOf({
      ...{ what: `PSS, emulator and ${MANY} workers`, unit: "MB", ours: many["ours"] ?? [] },
      ...{ beside: OTHER_CHECKOUT, others: many["other"] },
      target: (times) => atMost(MANY_LIMIT, times),
    }),
  ];
}

/** All processes of an emulator with several endpoints, each of which has done a job. */
async function megabytesOfMany(bench: Bench, checkout?: string): Promise<number> {
  const ids = Array.from({ length: MANY }, (_, nth) => `echo-${nth}`);
  const served = Object.fromEntries(
    ids.map((id) => [id, { handler: "echo", workers: 1 }] as const),
  );
  await using emulator = await startEmulatorFor(newFolder(bench, "memory"), served, { checkout });
  for (const id of ids) await jobDone(bench.client, emulator, id);
  await wait(SETTLE_MS);
  await bench.client.leave(emulator.origin);
  const sizes = familyOf(emulator.pid).map((pid) => pssBytes(pid) ?? Number.NaN);
  return sizes.reduce((whole, size) => whole + size, 0) / BYTES_PER_MB;
}

function together(ours: readonly number[], others: readonly number[]): Line {
  const target = {
    text: `≤ ${MORE_MB} MB more`,
    met: median(ours) <= median(others) + MORE_MB,
  };
  const line = {
    what: "RSS, all three",
    unit: "MB",
    ours,
    beside: OTHER_CHECKOUT,
    others,
  } as const;
  return lineOf({ ...line, target: () => target });
}

function total({ emulator, supervisor, handler }: Sizes): number {
  return emulator + supervisor + handler;
}

async function sizesOf(bench: Bench, checkout?: string): Promise<Sizes> {
  const folder = newFolder(bench, "memory");
  await using emulator = await startEmulatorFor(
    folder,
    { echo: { handler: "echo", workers: 1 } },
    { checkout },
  );
  await jobDone(bench.client, emulator);
  await wait(SETTLE_MS);
  const pids = emulator.pids();
  await bench.client.leave(emulator.origin);
  return {
    emulator: megabytesOf(pids.emulator),
    supervisor: megabytesOf(pids.supervisor),
    handler: megabytesOf(pids.handler),
  };
}

async function sizesOfNode(): Promise<Sizes> {
  const child = spawnIdleNode();
  await wait(SETTLE_MS);
  const megabytes = megabytesOf(child.pid ?? 0);
  await endProcess(child);
  return { emulator: megabytes, supervisor: megabytes, handler: megabytes };
}

/** @throws Error if the system does not show it */
function megabytesOf(pid: number): number {
  const bytes = rssBytes(pid);
  if (bytes === undefined) throw new Error("The system does not show the memory of a process.");
  return bytes / BYTES_PER_MB;
}

export const memory: Row = { id: "memory", title: "Memory when idle, after one job", measure };
