/** What every use case of the service works with; made once at the composition root. */
import type { Clock, Random } from "../core/clock.ts";
import type { LeaseTerms } from "../core/lease-terms.ts";
import type { Store } from "../store/store.ts";
import type { Alarm } from "./alarm.ts";
import type { EndpointDirectory } from "./endpoint-directory.ts";
import type { Fleet } from "./fleet.ts";
import type { JobWatchers } from "./job-watchers.ts";
import type { Standstill } from "./standstill.ts";

/** Where the service says what it does. Fields are data for machines; the message is for people. */
export interface EngineLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

export interface EngineContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: EngineLog;
  readonly lease: LeaseTerms;
  /** Whether silence can be judged, or the service itself was deaf. */
  readonly standstill: Standstill;
  /** The workers, their sessions and their credit. */
  readonly fleet: Fleet;
  /** Those who wait for a job to end or to stream. */
  readonly watchers: JobWatchers;
  /** The one timer that aims at the next due moment of any job. */
  readonly alarm: Alarm;
  /** Endpoints and templates as committed, for quick look-up. */
  readonly directory: EndpointDirectory;
  /** Called with an endpoint whose queue or workers changed, after the commit. */
  readonly endpointChanged: (endpointId: string) => void;
  /** Called with an endpoint that is no more, once nothing of it is stored. */
  readonly endpointDeleted: (endpointId: string) => void;
}
