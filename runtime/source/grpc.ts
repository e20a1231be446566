/** The job source that speaks to the service over gRPC; a program of its own in the package, loaded with all it needs from one file. */
import { GrpcSession } from "./grpc-session.ts";
import { SessionSource, type SessionSourceOptions } from "./session-source.ts";

export interface GrpcJobSourceOptions extends Omit<SessionSourceOptions, "openSession"> {
  /** `host:port` or `unix:/path`. */
  readonly address: string;
  /** The worker's token; it names the worker and its endpoint. */
  readonly token: string;
}

export class GrpcJobSource extends SessionSource {
  constructor({ address, token, ...options }: GrpcJobSourceOptions) {
    super({ ...options, openSession: (events) => new GrpcSession(address, token, events) });
  }
}
