/** Row: from starting `sv-emulate` to the first result, beside starting Node alone. */
import path from "node:path";
import { type Bench, interleave, newFolder } from "../bench.ts";
import { handlerFile, startEmulatorProcess } from "../emulator-process.ts";
import { nodeMs } from "../floors/bare-node.ts";
import { closeConnections, connectionsTo, send } from "../load/connections.ts";
import { atMost, type Line, lineOf } from "../line.ts";
import { submissionBody } from "../payload.ts";
import { median } from "../statistics.ts";
import { number } from "../table.ts";
import type { Row } from "./row.ts";

/** Number of starts of Node, one after another. */
const LIMIT = 11;

async function measure(bench: Bench): Promise<readonly Line[]> {
  const readyMs: number[] = [];
  const { ours, node } = await interleave(bench, bench.quick ? 5 : 11, {
    ours: () => firstResultMs(bench, readyMs),
    node: nodeMs,
  });
  return [
    lineOf({
      what: "sv-emulate to first /runsync result",
      unit: "ms",
      ours,
      beside: "node -e 0",
      others: node,
      target: (times) => atMost(LIMIT, times),
      notes: [`time until ready, before any result: ${number(median(readyMs))} ms`],
    }),
  ];
}

/** A TypeScript handler and a new data directory, as at the first start in a project. */
async function firstResultMs(bench: Bench, readyMs: number[]): Promise<number> {
  const dataDir = path.join(newFolder(bench, "spawn"), "data");
  const startedAt = performance.now();
  await using emulator = await startEmulatorProcess({ dataDir, targets: [handlerFile("echo")] });
  readyMs.push(performance.now() - startedAt);
  const { origin, request } = emulator.submission("echo", "runsync", submissionBody);
  const [client] = connectionsTo(origin, 1);
  if (client === undefined) throw new Error("There is no connection.");
  const answer = await send(client, request);
  const tookMs = performance.now() - startedAt;
  if (!answer.includes('"COMPLETED"')) throw new Error(`The job ended with ${answer.toString()}`);
  await closeConnections(origin);
  return tookMs;
}

export const spawn: Row = {
  id: "spawn",
  title: "Start: a TypeScript handler, a new data directory",
  measure,
};
