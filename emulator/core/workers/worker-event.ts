/** Everything that can happen to a worker, and what may have to be done about it, as values. */

export type WorkerEvent =
  /** Its program runs. */
  | "begin"
  /** It says that its handler is loaded, or its server is healthy. */
  | "become-ready"
  /** Its server says that it is not ready yet, or not any more. */
  | "start-again"
  /** Its server says that it is not healthy, or says nothing. */
  | "become-sick"
  /** Its server took no connection for a request. */
  | "be-unreachable"
  /** Its server was not healthy for too long. */
  | "give-up-hope"
  /** It says that its handler cannot be loaded. */
  | "fail-to-load"
  /** It let a lease run out, and says nothing. */
  | "fall-silent"
  /** It says something, whatever it is. */
  | "speak"
  /** The service needs it no more, or it asks to be replaced: it is to leave when it holds nothing. */
  | "dismiss"
  /** It holds nothing, or the service stops: it may know now. */
  | "tell-to-leave"
  /** It says that it leaves. */
  | "say-it-leaves"
  /** It was silent, unready or about to leave for too long. */
  | "lose"
  /** Its process has ended, and all that it started. */
  | "exit"
  /** It came by itself: nobody tells of its end. */
  | "vanish"
  /** It need not be counted any more. */
  | "forget";

/** Something to be done about a move, in the order of the row. */
export type WorkerEffect =
  /** From now on it is billed. */
  | "bill"
  /** The log tells of its state, and its endpoint is looked at anew. */
  | "announce"
  /** It is told to finish what it holds and to leave; a second time would make it leave at once. */
  | "drain"
  | "kill"
  /** Nothing of it runs any more: its bill ends, and whoever waits for that is told. */
  | "end"
  /** It is taken out of the fleet. */
  | "remove";

/** The moment of an event. */
export interface Moment {
  /** Service time. */
  readonly now: number;
  readonly realNow: number;
}
