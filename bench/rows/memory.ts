/** Row: memory of the idle processes, beside a bare Node process. */
import { setTimeout as wait } from "node:timers/promises";
import { type Bench, interleave, newFolder } from "../bench.ts";
import { type EmulatorPids, jobDone, startEmulatorFor } from "../emulator-process.ts";
import { spawnIdleNode } from "../floors/idle-node.ts";
import type { Line } from "../line.ts";
import { endProcess, rssBytes } from "../processes.ts";
import { ratio, summarize } from "../statistics.ts";
import type { Row } from "./row.ts";

/** After the first job, so that whatever its start left behind is gone. */
const SETTLE_MS = 1500;
const BYTES_PER_MB = 1_000_000;

type Sizes = Readonly<Record<keyof EmulatorPids, number>>;

async function measure(bench: Bench): Promise<readonly Line[]> {
  const { ours, bare } = await interleave<"ours" | "bare", Sizes>(bench, bench.quick ? 1 : 3, {
    ours: () => sizesOfOurs(bench),
    bare: async () => {
      const megabytes = await sizeOfNode();
      return { emulator: megabytes, supervisor: megabytes, handler: megabytes };
    },
  });
  const names: Readonly<Record<keyof EmulatorPids, string>> = {
    emulator: "emulator",
    supervisor: "worker: supervisor",
    handler: "worker: handler process",
  };
  return (["emulator", "supervisor", "handler"] as const).map((part) => {
    const sizes = ours.map((each) => each[part]);
    const bareSizes = bare.map((each) => each[part]);
    return {
      what: `RSS, ${names[part]}`,
      unit: "MB",
      ours: summarize(sizes),
      beside: { what: "idle Node process", value: summarize(bareSizes) },
      ratio: ratio(sizes, bareSizes),
    };
  });
}

async function sizesOfOurs(bench: Bench): Promise<Sizes> {
  const folder = newFolder(bench, "memory");
  await using emulator = await startEmulatorFor(folder, { echo: { handler: "echo", workers: 1 } });
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

async function sizeOfNode(): Promise<number> {
  const child = spawnIdleNode();
  await wait(SETTLE_MS);
  const megabytes = megabytesOf(child.pid ?? 0);
  await endProcess(child);
  return megabytes;
}

/** @throws Error where the system does not tell */
function megabytesOf(pid: number): number {
  const bytes = rssBytes(pid);
  if (bytes === undefined) throw new Error("The system does not tell the memory of a process.");
  return bytes / BYTES_PER_MB;
}

export const memory: Row = { id: "memory", title: "Memory when idle, after one job", measure };
