/** Events of a worker's life, and effects of its transitions, as values. */

export type WorkerEvent =
  /** Its program runs. */
  | "begin"
  /** The worker reports that its handler is loaded, or its server passes a health check. */
  | "report-ready"
  /** The server answers a health check with 204: it initializes, perhaps again. */
  | "reinitialize"
  /** The server fails a health check or does not answer it. */
  | "fail-health-check"
  /** The server refused the connection for a request. */
  | "refuse-connection"
  /** The server was not healthy for too long. */
  | "health-timeout"
  /** The worker reports that its handler cannot be loaded. */
  | "fail-init"
  /** A lease ran out without a message from the worker. */
  | "lose-contact"
  /** The worker sent any message. */
  | "regain-contact"
  /** The worker is not needed any more, or asks to be replaced. It leaves when it holds no job. */
  | "retire"
  /** The worker holds no job, or the service stops: it is told to leave. */
  | "send-drain"
  /** The worker reports that it leaves. */
  | "report-draining"
  /** The worker sent no message, was not ready, or did not leave, for too long. */
  | "declare-lost"
  /** The worker's process and all its children have ended. */
  | "exit"
  /** An external worker is lost: no exit will be reported. */
  | "unregister"
  /** The worker need not be counted any more. */
  | "forget";

/** Effects of a transition, in the order of the row. */
export type WorkerEffect =
  | "bill"
  /** The state is logged, and the scaler looks at the endpoint again. */
  | "announce"
  /** The worker is told to finish its jobs and leave. A second order would make it leave at once. */
  | "drain"
  | "kill"
  /** Nothing of the worker runs any more: its bill ends, and its `gone` signal fires. */
  | "end"
  | "remove";

export interface Moment {
  /** Service time. */
  readonly now: number;
  readonly realNow: number;
}
