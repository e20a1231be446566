/** The machine and the disk of a measurement. */
import fs from "node:fs";
import os from "node:os";
import { fdatasyncFloor } from "./floors/fdatasync.ts";
import { number } from "./table.ts";

const SYNCS = 200;
const BYTES_PER_GB = 1_000_000_000;

/** File systems by their statfs number; only those that affect the cost of a sync. */
const FILE_SYSTEMS: Readonly<Record<number, string>> = {
  0x01021994: "tmpfs (in memory: syncs cost nothing here)",
  0xef53: "ext4",
  0x58465342: "xfs",
  0x9123683e: "btrfs",
  0x794c7630: "overlayfs",
};

export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryBytes: number;
  readonly system: string;
  readonly node: string;
  readonly fileSystem: string;
  readonly fdatasyncP50Ms: number;
  /** Load average of the minute before the start. At 1 per core the machine is busy, and the figures are unreliable. */
  readonly loadAverage: number;
}

/** @param folder on the disk that is measured */
export async function describeMachine(folder: string): Promise<Machine> {
  await using disk = fdatasyncFloor(folder);
  const processors = os.cpus();
  const { type } = fs.statfsSync(folder);
  return {
    cores: processors.length,
    processor: processors[0]?.model ?? "unknown",
    memoryBytes: os.totalmem(),
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    node: process.version,
    fileSystem: FILE_SYSTEMS[type] ?? `file system 0x${type.toString(16)}`,
    fdatasyncP50Ms: await disk.p50Ms(SYNCS),
    loadAverage: os.loadavg()[0] ?? 0,
  };
}

export function machineLine(machine: Machine): string {
  return [
    `${machine.cores} cores (${machine.processor})`,
    `${number(machine.memoryBytes / BYTES_PER_GB)} GB`,
    machine.system,
    `Node ${machine.node}`,
    `${machine.fileSystem}, fdatasync p50 ${number(machine.fdatasyncP50Ms)} ms`,
    `load ${number(machine.loadAverage)} before the start`,
  ].join(" · ");
}
