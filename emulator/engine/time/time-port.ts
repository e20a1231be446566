/** Port: time and chance. */
import type { Clock, Random } from "../../core/time/clock.ts";
import type { DueTimer } from "./due-timer.ts";
import type { PendingWork } from "./pending-work.ts";
import type { ServiceClock } from "./service-clock.ts";

export interface TimePort {
  /** Service time, the measure of all due moments, except for things that run elsewhere. */
  readonly clock: ServiceClock;
  /** Real time, which cannot be advanced, for workers, processes and connections. Never compare it with service time. */
  readonly realClock: Clock;
  readonly random: Random;
  /** The timer for the next due moment of any job. */
  readonly dueTimer: DueTimer;
  /** The work that timers have started and that is not done yet; every part with a timer tracks its work here. */
  readonly pendingWork: PendingWork;
}
