/** Ends long work under a key when the key expires or is revoked. */
import type { ApiKey } from "../../../core/access/api-key.ts";
import { LINK_KEY_ID } from "./dashboard-access.ts";
import type { HttpService } from "../service.ts";

/**
 * Calls `ended` when the key expires or is revoked. A link of the dashboard has no key, and is not watched. Returns a function
 * that ends the watch.
 */
export function watchKey(
  { keys, engine }: Pick<HttpService, "keys" | "engine">,
  { id, expiresAt }: ApiKey,
  ended: () => void,
): () => void {
  if (id === LINK_KEY_ID) return () => undefined;
  const look = () => {
    if (!keys.isGood(id)) ended();
  };
  const unfollow = keys.onChange(look);
  const disarm = expiresAt && engine.clock.wakeAt(Date.parse(expiresAt), look);
  return () => {
    unfollow();
    if (disarm) disarm();
  };
}
