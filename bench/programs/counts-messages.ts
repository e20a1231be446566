/** Preloaded into an emulator: counts the messages of its main thread to others, and writes the number to a file on SIGUSR2. */
import fs from "node:fs";
import { Worker } from "node:worker_threads";

const file = process.env["BENCH_MESSAGES"];
const post = Reflect.get(Worker.prototype, "postMessage") as (...args: unknown[]) => void;
let count = 0;

Worker.prototype.postMessage = function counted(this: Worker, ...args: unknown[]): void {
  count += 1;
  Reflect.apply(post, this, args);
};

if (file !== undefined) process.on("SIGUSR2", () => fs.writeFileSync(file, String(count)));
