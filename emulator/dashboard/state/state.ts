/** All that the dashboard knows, and how each event changes it: one pure function, which knows no browser. */
import type { ServiceEvent } from "./service-event.ts";
import { type ChunkAction, type ChunkList, NO_CHUNKS, reduceChunks } from "./chunk-list.ts";
import {
  EMPTY_LIST,
  type JobList,
  type JobListAction,
  jobsMoved,
  reduceJobList,
} from "./job-list.ts";
import { type Link, lost, type Session } from "./link.ts";
import { type Notice, type NoticeAction, reduceNotices } from "./notices.ts";
import { type ReadAction, type Reads, reduceReads } from "./reads.ts";

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
  /** It ended, or could not be opened. */
  | { readonly type: "disconnected" }
  | { readonly type: "session"; readonly session: Session }
  | { readonly type: "happened"; readonly events: readonly ServiceEvent[] }
  /** Events were missed: everything may have changed. */
  | { readonly type: "past-lost" }
  | ReadAction
  | JobListAction
  | ChunkAction
  | NoticeAction;

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
    case "dismissed":
      return { ...state, notices: reduceNotices(state.notices, action) };
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
