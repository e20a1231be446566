/**
 * Row: time from saving a handler to the first result of a job sent after the rebuild, beside building it and starting Node
 * from nothing.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { build, stop } from "esbuild";
import { type Bench, interleave, newFolder } from "../bench.ts";
import { type EmulatorProcess, startEmulatorProcess } from "../emulator-process.ts";
import { atMost, type Line, lineOf } from "../line.ts";
import { closeConnections, connectionsTo, send } from "../load/connections.ts";
import { submissionBody } from "../payload.ts";
import { watchOver } from "../processes.ts";
import type { Row } from "./row.ts";

const LIMIT = 0.5;
/** Pause between saves, shorter than a person's; meanwhile the next standby process starts. */
const BETWEEN_EDITS_MS = 500;
/** A polling client would take both cores from the build. */
const BUILT = "built: its workers load the new version";

async function measure(bench: Bench): Promise<readonly Line[]> {
  const folder = newFolder(bench, "reload");
  const handler = path.join(folder, "edited", "handler.ts");
  fs.mkdirSync(path.dirname(handler));
  save(handler, 0);
  await using emulator = await startEmulatorProcess({
    dataDir: path.join(folder, "data"),
    targets: [handler],
  });
  let version = 0;
  const { ours, floor } = await interleave(bench, bench.quick ? 10 : 50, {
    ours: () => firstResultMs(emulator, handler, ++version),
    floor: () => fromNothingMs(handler, path.join(folder, "built.mjs")),
  });
  await closeConnections(emulator.origin);
  return [
    lineOf({
      what: "save to first result of the new code",
      unit: "ms",
      ours,
      beside: "esbuild and Node from nothing",
      others: floor,
      target: (times) => atMost(LIMIT, times),
    }),
  ];
}

/** The answer names the version of the handler. */
function save(handler: string, version: number): void {
  fs.writeFileSync(handler, `export default async (): Promise<string> => "version ${version}";\n`);
}

async function firstResultMs(
  emulator: EmulatorProcess,
  handler: string,
  version: number,
): Promise<number> {
  await wait(BETWEEN_EDITS_MS);
  const { origin, request } = emulator.submission("edited", "runsync", submissionBody);
  const [client] = connectionsTo(origin, 1);
  if (client === undefined) throw new Error("There is no connection.");
  const built = emulator.logs(BUILT);
  const savedAt = performance.now();
  save(handler, version);
  await built;
  const answer = (await send(client, request)).toString();
  if (answer.includes(`"version ${version}"`)) return performance.now() - savedAt;
  throw new Error(`A job after the reload was answered ${answer}`);
}

/** Cost of a change if nothing is kept: starting the bundler, building the handler, and running the result with Node. */
async function fromNothingMs(handler: string, outfile: string): Promise<number> {
  await stop();
  const startedAt = performance.now();
  await build({ entryPoints: [handler], outfile, bundle: true, platform: "node", format: "esm" });
  const child = spawn(process.execPath, [outfile], { stdio: "ignore" });
  watchOver(child);
  await once(child, "exit");
  return performance.now() - startedAt;
}

export const reload: Row = {
  id: "reload",
  title: "A handler is edited: 50 times, one after another",
  measure,
};
