/** `npm run road -- runsync` prints the files and functions of the source that one warm request runs, in the order of their first calls. */
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Order, SourceFunction } from "./inspector-thread.ts";
import { scenes, setStage } from "./scenes.ts";

/** Number of requests before the first one that counts. They run the code that only early requests run. */
const WARM_UPS = 10;
/** Number of requests that count. A function that one of them does not run belongs to a timer, not to the request. */
const ROUNDS = 5;
/** Time in which the remaining work of an answered request ends, ms. */
const REST_MS = 60;

type Play = () => Promise<void>;

function inspectThisThread() {
  const thread = new Worker(path.join(import.meta.dirname, "inspector-thread.ts"));
  const ask = async (order: Order): Promise<readonly SourceFunction[]> => {
    const answered = once(thread, "message");
    thread.postMessage(order, []);
    const [functions] = (await answered) as [readonly SourceFunction[]];
    return functions;
  };
  return { ask, end: () => thread.terminate() };
}

const placeOf = ({ file, location }: SourceFunction): string =>
  `${file}:${location.lineNumber}:${location.columnNumber}`;

/** The functions that every request runs. Functions with a noted first call are first, in the order of these calls. */
async function followRoad(play: Play): Promise<readonly SourceFunction[]> {
  for (let count = 0; count < WARM_UPS; count += 1) await play();
  const { ask, end } = inspectThisThread();
  await ask("count");
  let road: readonly SourceFunction[] | undefined;
  for (let count = 0; count < ROUNDS; count += 1) {
    await play();
    const ran = await ask("count");
    const places = new Set(ran.map(placeOf));
    road = (road ?? ran).filter((each) => places.has(placeOf(each)));
  }
  await ask({ noteCallsOf: road ?? [] });
  await play();
  const ordered = await ask("noted");
  await end();
  return [...new Map([...ordered, ...(road ?? [])].map((each) => [placeOf(each), each])).values()];
}

function printRoad(road: readonly SourceFunction[]): void {
  const byFile = Map.groupBy(road, ({ file }) => file);
  for (const [file, functions] of byFile) {
    console.log(file);
    for (const { name, location } of functions) {
      console.log(`${`${location.lineNumber + 1}`.padStart(6)}  ${name || "(no name)"}`);
    }
  }
  console.log(`${byFile.size} files, ${road.length} functions`);
}

const scene = scenes.get(process.argv[2] ?? "");
if (scene === undefined) {
  console.error(`usage: npm run road -- ${[...scenes.keys()].join("|")}`);
  process.exitCode = 2;
} else {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), "sv-road-"));
  const stage = await setStage(dataDir);
  let turn = 0;
  const road = await followRoad(async () => {
    turn += 1;
    await scene(stage, turn);
    await pause(REST_MS);
  });
  await stage.service.stop();
  fs.rmSync(dataDir, { recursive: true });
  printRoad(road);
}
