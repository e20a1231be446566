/** The events of a worker's life, and the effects that a transition may have, as values. */

export type WorkerEvent =
  /** Its program runs. */
  | "begin"
  /** It reports that its handler is loaded, or its server passes a health check. */
  | "report-ready"
  /** Its server answers a health check with 204: it initializes, perhaps again. */
  | "reinitialize"
  /** Its server fails a health check, or does not answer it. */
  | "fail-health-check"
  /** Its server took no connection for a request. */
  | "refuse-connection"
  /** Its server was not healthy for too long. */
  | "health-timeout"
  /** It reports that its handler cannot be loaded. */
  | "fail-init"
  /** A lease of it ran out, and no message came from it. */
  | "lose-contact"
  /** A message came from it, whatever it says. */
  | "regain-contact"
  /** The service does not need it any more, or it asks to be replaced: it leaves when it holds no job. */
  | "retire"
  /** It holds no job, or the service stops: it is told to leave. */
  | "send-drain"
  /** It reports that it leaves. */
  | "report-draining"
  /** It sent no message, was not ready, or did not leave, for too long. */
  | "declare-lost"
  /** Its process has ended, and all that it started. */
  | "exit"
  /** It is external and lost: nobody reports its exit. */
  | "unregister"
  /** It need not be counted any more. */
  | "forget";

/** What a transition has done, in the order of the row. */
export type WorkerEffect =
  /** Billing of the worker begins. */
  | "bill"
  /** Its state is logged, and the scaler looks at its endpoint again. */
  | "announce"
  /** It is told to finish the jobs it holds and to leave. A second time would make it leave at once. */
  | "drain"
  | "kill"
  /** Nothing of it runs any more: its bill ends, and its `gone` signal fires. */
  | "end"
  /** It is removed from the fleet. */
  | "remove";

/** The moment of an event. */
export interface Moment {
  /** Service time. */
  readonly now: number;
  readonly realNow: number;
}
