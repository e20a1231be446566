/**
 * A supervisor with a standby process that tests kill: runs one job with a given input, and prints a line when it
 * runs.
 */
import { startWorker } from "../../../runtime/worker.ts";
import { MemoryJobSource } from "./memory-job-source.ts";

const source = new MemoryJobSource();
startWorker({
  handler: process.argv[2] ?? "",
  openSource: () => source,
  standbyDelayMs: 0,
  log: {
    write(_level, msg) {
      if (["blocking", "waiting", "begun"].includes(msg)) console.log(msg);
    },
  },
});
source.submit({ input: JSON.parse(process.argv[3] ?? "{}") });
