/** A supervisor with a standby process for tests to kill: runs one job, of an input that may be given, and prints a line once it runs. */
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
