/** Address for workers from elsewhere, as options have it. */
import { servicePlaces } from "../../../runtime/protocol/environment/service-address.ts";

export const WORKER_ADDRESS_RULE = "be host:port, like gpu.example.com:7443";

export function isWorkerAddress(text: string): boolean {
  return servicePlaces(`tls://${text}`)?.length === 1;
}
