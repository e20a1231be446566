/** The job sources of a worker: of its service, or of the live dialect. Each is loaded on demand. */
import type { WorkerLog } from "./protocol/worker-log.ts";
import type { JobSource } from "./source/job-source.ts";
import { readLiveSettings } from "./source/live/settings.ts";
import { RUNTIME_VERSION } from "./version.ts";
import type { WorkerOptions } from "./worker.ts";

/** The address of a worker's service, and the credentials of the worker. */
export interface Service {
  /** In the form of `SERVICE_ADDRESS_RULE`. */
  readonly address: string;
  readonly token: string;
}

/** Loads the source on the first call only, so that the handler process need not wait for it. */
export function serviceSource(service: Service, log: WorkerLog): () => Promise<JobSource> {
  return async () => {
    const { ServiceJobSource } = await import("./source/service-job-source.ts");
    return new ServiceJobSource({
      ...service,
      runtimeVersion: RUNTIME_VERSION,
      onDisconnect: (reason, retryInMs) =>
        log.write("warn", `lost the connection to the service: ${reason}`, { retryInMs }),
    });
  };
}

/** Timeout of a receipt from the live queue. A result of 20 MB takes long, and without it the queue would run the job again. */
const LIVE_RECEIPT_LIMIT_MS = 30_000;

/**
 * The source for the live service, from its environment variables. Its code is loaded at the first call.
 *
 * @throws LiveSettingsError
 */
export function liveSource(
  env: Readonly<Record<string, string | undefined>>,
  log: WorkerLog,
): Pick<WorkerOptions, "openSource" | "receiptLimitMs"> {
  const settings = readLiveSettings(env);
  return {
    receiptLimitMs: LIVE_RECEIPT_LIMIT_MS,
    openSource: async () => {
      const { LiveJobSource } = await import("./source/live/live-job-source.ts");
      return new LiveJobSource({ settings, runtimeVersion: RUNTIME_VERSION, log });
    },
  };
}
