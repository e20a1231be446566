/** Finds the endpoint of a worker from its id. */
import type { EndpointFinder } from "../../operation/operation.ts";

interface Share {
  readonly workers: readonly { readonly endpointId: string }[];
}

/** The other replicas are asked for a worker that is unknown here. */
export const endpointOfWorker: EndpointFinder<{ readonly workerId: string }> = {
  async find({ service, path: { workerId }, others }) {
    const own = service.engine.fleet.find(workerId);
    if (own !== undefined || others === undefined) return own?.endpointId;
    const shares = await others(`/emulator/workers?workerId=${encodeURIComponent(workerId)}`);
    return shares.flatMap((share) => (share as Share).workers)[0]?.endpointId;
  },
};
