/** The way to a worker's service: its gRPC source, made when it is needed. */
import type { WorkerLog } from "./log/worker-log.ts";
import { RUNTIME_VERSION } from "./version.ts";
import type { JobSource } from "./source/job-source.ts";

/** Where a worker's service listens, and what shows it who the worker is. */
export interface Service {
  /** `host:port` or `unix:/path`. */
  readonly address: string;
  readonly token: string;
}

/** Loads gRPC on the first call only, so that the handler process need not wait for it. */
export function serviceSource(service: Service, log: WorkerLog): () => Promise<JobSource> {
  return async () => {
    const { GrpcJobSource } = await import("./source/grpc.ts");
    return new GrpcJobSource({
      ...service,
      runtimeVersion: RUNTIME_VERSION,
      onDisconnect: (reason, retryInMs) =>
        log.write("warn", `lost the connection to the service: ${reason}`, { retryInMs }),
    });
  };
}
