/** A program that brings its own main, as the handlers' page shows one, for a test to start and to ask to leave. */
import { startWorker } from "../../../runtime/index.ts";

// Whatever is still waited for at the end would be waited for long.
const worker = await startWorker(process.argv[2] ?? "", { graceMs: 600_000 });
process.once("SIGTERM", () => worker.drain());
process.exitCode = (await worker.ended) === "drained" ? 0 : 1;
