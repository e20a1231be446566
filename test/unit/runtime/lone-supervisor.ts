/** A supervisor with a standby process for tests to kill: runs one job for ever and prints a line once it runs. */
import { startWorker } from "../../../runtime/worker.ts";
import { MemoryJobSource } from "./memory-job-source.ts";

const source = new MemoryJobSource();
startWorker({
  handler: process.argv[2] ?? "",
  openSource: () => source,
  standbyDelayMs: 0,
  log: {
    write(_level, msg) {
      if (msg === "blocking" || msg === "waiting") console.log(msg);
    },
  },
});
source.submit();
