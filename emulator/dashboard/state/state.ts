/** The whole state of the dashboard, and the one pure function that changes it. */
import { type ChunkAction, type ChunkList, NO_CHUNKS, reduceChunks } from "./chunk-list.ts";
import {
  EMPTY_LIST,
  type JobList,
  type JobListAction,
  jobsMoved,
  reduceJobList,
} from "./job-list.ts";
import { type ReadAction, type Reads, reduceReads } from "./reads.ts";
import type { ServiceEvent } from "./service-event.ts";

/** Whether the dashboard hears the service. */
type Link =
  | { readonly phase: "connecting" }
  | { readonly phase: "live" }
  /** The connection broke or failed; the next try comes after `retryMs`. */
  | { readonly phase: "waiting"; readonly tries: number; readonly retryMs: number };

/** `unknown`: before the first answer; `closed`: there is no session, and the page asks for a key. */
type Session = "unknown" | "closed" | "on" | "read-only";

/** A short message about something that was done or failed: shown for a while, and read out. */
export interface Notice {
  readonly id: number;
  readonly kind: "done" | "problem";
  readonly text: string;
}

export interface State {
  readonly link: Link;
  readonly session: Session;
  readonly jobs: JobList;
  readonly chunks: ChunkList;
  readonly reads: Reads;
  readonly notices: readonly Notice[];
}

export type Action =
  /** The stream of events is open. */
  | { readonly type: "connected" }
  /** The stream of events ended, or could not be opened. */
  | { readonly type: "disconnected" }
  | { readonly type: "session"; readonly session: Session }
  | { readonly type: "happened"; readonly events: readonly ServiceEvent[] }
  /** Events were missed: everything may have changed. */
  | { readonly type: "past-lost" }
  | ReadAction
  | JobListAction
  | ChunkAction
  | { readonly type: "noticed"; readonly kind: Notice["kind"]; readonly text: string }
  | { readonly type: "dismissed"; readonly id: number };

export const INITIAL: State = {
  link: { phase: "connecting" },
  session: "unknown",
  jobs: EMPTY_LIST,
  chunks: NO_CHUNKS,
  reads: {},
  notices: [],
};

export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case "connected":
      return { ...state, link: { phase: "live" } };
    case "disconnected":
      return { ...state, link: lost(state.link) };
    case "session":
      return { ...state, session: action.session };
    case "happened":
      return { ...state, jobs: jobsMoved(state.jobs, action.events) };
    case "past-lost":
      return { ...state, jobs: { ...state.jobs, isStale: true }, reads: allStale(state.reads) };
    case "asked":
    case "answered":
    case "refused":
    case "outdated":
    case "dropped":
      return { ...state, reads: reduceReads(state.reads, action) };
    case "noticed":
      return { ...state, notices: withNotice(state.notices, action) };
    case "dismissed":
      return { ...state, notices: state.notices.filter(({ id }) => id !== action.id) };
    case "chunks-opened":
    case "chunks-came":
    case "chunks-complete":
      return { ...state, chunks: reduceChunks(state.chunks, action) };
    default:
      return { ...state, jobs: reduceJobList(state.jobs, action) };
  }
}

function allStale(reads: Reads): Reads {
  return Object.fromEntries(
    Object.entries(reads).map(([path, read]) => [path, { ...read, isStale: true }]),
  );
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/** Each wait is twice as long as the one before. */
function lost(link: Link): Link {
  const tries = link.phase === "waiting" ? link.tries + 1 : 1;
  const retryMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (tries - 1));
  return { phase: "waiting", tries, retryMs };
}

/** Maximum notices shown at once: older ones go. */
const MOST_NOTICES = 4;

function withNotice(
  notices: readonly Notice[],
  { kind, text }: Omit<Notice, "id">,
): readonly Notice[] {
  const id = (notices.at(-1)?.id ?? 0) + 1;
  return [...notices, { id, kind, text }].slice(-MOST_NOTICES);
}
