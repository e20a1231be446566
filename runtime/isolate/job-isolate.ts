/** Port: what a worker needs of that which runs its jobs. Adapters: a handler process, or functions in this very process. */
import type { Isolate } from "./isolate.ts";
import type { IsolateEvents } from "./isolate-events.ts";
import type { SecretMask } from "./secret-mask.ts";

export type JobIsolate = Pick<
  Isolate,
  | "start"
  | "load"
  | "pid"
  | "standbyPid"
  | "openJobs"
  | "openPlaces"
  | "run"
  | "revoke"
  | "chunksStored"
  | "stop"
  | "killNow"
>;

/** @param mask takes the secrets out of what handlers say */
export type OpenIsolate = (mask: SecretMask, events: IsolateEvents) => JobIsolate;
