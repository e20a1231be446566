/** A program with its own main, like the one in the handlers' page, that a test starts and stops. */
import { startWorker } from "../../../runtime/index.ts";

// A pending wait at the end would take long.
const worker = await startWorker(process.argv[2] ?? "", { graceMs: 600_000 });
process.once("SIGTERM", () => worker.drain());
process.exitCode = (await worker.ended) === "drained" ? 0 : 1;
