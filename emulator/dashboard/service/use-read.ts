/** Reads from the service: a path is read when a page first shows it, and again after events that concern it. */
import { useEffect } from "preact/hooks";
import { complain, dispatch, state, usePart } from "../state/store.ts";
import { type Read, UNREAD } from "../state/reads.ts";
import { formatSize } from "../format/format.ts";
import { call, CallError, open } from "./call.ts";
import { onEvents } from "./follow.ts";
import type { Answers } from "../../../runtime/protocol/generated/answers.ts";
import type { ServiceEvent } from "../state/service-event.ts";

export interface ReadOptions {
  /** Whether an event may have changed the answer; default: none does. */
  readonly concerns?: (event: ServiceEvent) => boolean;
  /** Minimum interval between reads, ms; default 1,000. */
  readonly paceMs?: number;
  /** The answer as text, which keeps its numbers. */
  readonly asText?: boolean;
  /** Maximum size of the answer, bytes; default: no limit. */
  readonly mostBytes?: number;
  /** Interval of reads without an event, ms; default: none. */
  readonly everyMs?: number;
}

export interface Reading<Value> extends Omit<Read, "value"> {
  readonly value: Value | undefined;
  readonly again: () => void;
}

const DEFAULT_PACE_MS = 1_000;

/** Number of components that show a path. */
const users = new Map<string, number>();
/** The last read of each path, by the page's clock. */
const askedAt = new Map<string, number>();

type Form = Pick<ReadOptions, "asText" | "mostBytes">;

/** @param path of a `GET` operation, without a slash at its beginning; undefined: nothing is read */
export function useRead<Operation extends keyof Answers>(
  path: string | undefined,
  options: ReadOptions = {},
): Reading<Answers[Operation]> {
  const { concerns, paceMs = DEFAULT_PACE_MS, everyMs, asText = false, mostBytes } = options;
  const form = { asText, ...(mostBytes !== undefined && { mostBytes }) };
  const reads = usePart((all) => all.reads);
  const read = (path === undefined ? undefined : reads[path]) ?? UNREAD;
  useEffect(() => (path === undefined ? undefined : useOf(path, form)), [path]);
  useEffect(() => {
    if (path === undefined || concerns === undefined) return undefined;
    return onEvents((events) => {
      if (events.some(concerns)) dispatch({ type: "outdated", path });
    });
  }, [path]);
  useEffect(() => {
    if (path === undefined || everyMs === undefined) return undefined;
    const timer = setInterval(() => dispatch({ type: "outdated", path }), everyMs);
    return () => clearInterval(timer);
  }, [path, everyMs]);
  const { isStale, isAsking } = read;
  useEffect(() => {
    if (path === undefined || !isStale || isAsking) return undefined;
    const sinceMs = performance.now() - (askedAt.get(path) ?? 0);
    const askStill = () => {
      // Another component may have read the path by then.
      if (state.peek().reads[path]?.isStale === true) void ask(path, form);
    };
    const timer = setTimeout(askStill, Math.max(0, paceMs - sinceMs));
    return () => clearTimeout(timer);
  }, [path, isStale, isAsking]);
  return {
    ...read,
    value: read.value as Answers[Operation] | undefined,
    again: () => path !== undefined && void ask(path, form),
  };
}

/** Reads a path. Never rejects: a problem goes into the state. */
async function ask(path: string, form: Form): Promise<void> {
  askedAt.set(path, performance.now());
  dispatch({ type: "asked", path });
  try {
    dispatch({ type: "answered", path, value: await answerTo(path, form) });
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    dispatch({ type: "refused", path, problem });
    if (!(error instanceof CallError)) complain(error);
  }
}

async function answerTo(path: string, { asText, mostBytes }: Form): Promise<unknown> {
  if (asText !== true) return call(path);
  const response = await open(path);
  const bytes = Number(response.headers.get("content-length") ?? 0);
  if (mostBytes === undefined || bytes <= mostBytes) return response.text();
  await response.body?.cancel();
  throw new CallError(`it has ${formatSize(bytes)}`, TOO_LARGE);
}

/** The status of HTTP for a payload that is too large. */
const TOO_LARGE = 413;

function useOf(path: string, form: Form): () => void {
  const count = users.get(path) ?? 0;
  users.set(path, count + 1);
  if (count === 0 || state.peek().reads[path] === undefined) void ask(path, form);
  return () => {
    const left = (users.get(path) ?? 1) - 1;
    users.set(path, left);
    if (left > 0) return;
    users.delete(path);
    askedAt.delete(path);
    dispatch({ type: "dropped", path });
  };
}
