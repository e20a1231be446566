/** The job source over gRPC. The package has it in one file with its dependencies. */
import { ServiceSessions } from "./service-sessions.ts";
import { SessionSource, type SessionSourceOptions } from "./session-source.ts";

export interface GrpcJobSourceOptions extends Omit<SessionSourceOptions, "openSession"> {
  /** In the form of `SV_SERVICE_ADDRESS`. */
  readonly address: string;
  /** The worker's token. It identifies the endpoint, and also the worker if the service has started it. */
  readonly token: string;
}

export class GrpcJobSource extends SessionSource {
  /** @throws RangeError for an invalid address */
  constructor({ address, token, ...options }: GrpcJobSourceOptions) {
    super({ ...options, openSession: new ServiceSessions(address, token).open });
  }
}
