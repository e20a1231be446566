/** Reads the query of the list of jobs: `status:failed endpoint:x took:>5s some text`. */
import { JOB_STATUSES, type JobStatus } from "../../../../runtime/protocol/job-status.ts";
import type { JobFilter } from "../../state/job-list.ts";

export interface JobQuery {
  readonly filter: JobFilter;
  /** A sentence for each word that was not understood. */
  readonly problems: readonly string[];
}

/** The words before a colon, and their meanings. */
export const QUERY_WORDS = {
  status: "queued, running, completed, failed, timed_out or cancelled; several with commas",
  endpoint: "the id of an endpoint",
  took: "minimum execution time, like >5s or >250ms",
  waited: "minimum time in the queue, like >1m",
  since: "submitted since: 10m, 2h, 1d ago, or an instant",
  until: "submitted before that",
  kind: "async for /run, sync for /runsync",
} as const;

type Word = keyof typeof QUERY_WORDS;

const STATUS_WORDS: Readonly<Record<string, JobStatus>> = {
  queued: "IN_QUEUE",
  waiting: "IN_QUEUE",
  running: "IN_PROGRESS",
  done: "COMPLETED",
  ...Object.fromEntries(JOB_STATUSES.map((status) => [status.toLowerCase(), status])),
};

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** @param now the instant that `since:10m` counts back from, ms */
export function readJobQuery(text: string, now: number): JobQuery {
  const problems: string[] = [];
  const filter: { -readonly [Key in keyof JobFilter]: JobFilter[Key] } = {};
  const words: string[] = [];
  for (const token of tokensOf(text)) {
    const [, word = "", value = ""] = /^([a-z]+):(.*)$/su.exec(token) ?? [];
    if (!isWord(word)) {
      words.push(token);
      if (UNKNOWN_WORD.test(token))
        problems.push(`“${token}” is searched as text: there is no such word`);
      continue;
    }
    const part = partOf(word, value, now);
    if (typeof part === "string") problems.push(part);
    else Object.assign(filter, part);
  }
  if (words.length > 0) filter.search = words.join(" ");
  return { filter, problems };
}

/** A text that looks like a word; an address does not. */
const UNKNOWN_WORD = /^[a-z]+:[^/]/u;

function isKind(text: string): text is "async" | "sync" {
  return text === "async" || text === "sync";
}

function isWord(text: string): text is Word {
  return Object.hasOwn(QUERY_WORDS, text);
}

/** Splits at spaces outside quotes. */
function tokensOf(text: string): readonly string[] {
  const tokens = text.match(/(?:[a-z]+:)?"[^"]*"|\S+/gu) ?? [];
  return tokens.map((token) => token.replaceAll('"', "")).filter((token) => token !== "");
}

/** The filter of a word, or a sentence about its problem. */
function partOf(word: Word, value: string, now: number): JobFilter | string {
  switch (word) {
    case "status":
      return statusesOf(value);
    case "endpoint":
      return value === "" ? "endpoint: needs the id of an endpoint" : { endpointId: value };
    case "kind":
      return isKind(value) ? { kind: value } : `kind:${value} is neither async nor sync`;
    case "took":
      return boundOf(word, value, (ms) => ({ minExecution: ms }));
    case "waited":
      return boundOf(word, value, (ms) => ({ minDelay: ms }));
    case "since":
    case "until": {
      const at = instantOf(value, now);
      return at === undefined
        ? `${word}:${value} is not a time: 10m, 2h or an instant`
        : { [word]: at };
    }
  }
}

function statusesOf(value: string): JobFilter | string {
  const names = value.toLowerCase().split(",");
  const unknown = names.find((name) => STATUS_WORDS[name] === undefined);
  if (unknown !== undefined) return `“${unknown}” is not a status`;
  return { status: [...new Set(names.flatMap((name) => STATUS_WORDS[name] ?? []))] };
}

function boundOf(word: Word, value: string, make: (ms: number) => JobFilter): JobFilter | string {
  const ms = durationOf(value.replace(/^>=?/u, ""));
  return ms === undefined ? `${word}:${value} is not a duration: >5s, >250ms or >1m` : make(ms);
}

function durationOf(text: string): number | undefined {
  const [, number = "", unit = "ms"] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/u.exec(text) ?? [];
  return number === "" ? undefined : Math.round(Number(number) * (UNIT_MS[unit] ?? 1));
}

/** Relative instants are rounded to a minute, so that the same query stays the same request. */
function instantOf(text: string, now: number): string | undefined {
  const ago = durationOf(text);
  if (ago !== undefined) return new Date(Math.floor((now - ago) / 60_000) * 60_000).toISOString();
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

/** The filter as the query of `GET /emulator/jobs`. */
export function parametersOf(filter: JobFilter): Record<string, string> {
  const entries = Object.entries(filter).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

/** The text with that word set to `value`, or without it where that is empty. */
export function withWord(text: string, word: Word, value: string): string {
  const others = (text.match(/(?:[a-z]+:)?"[^"]*"|\S+/gu) ?? []).filter(
    (token) => !token.startsWith(`${word}:`),
  );
  return (value === "" ? others : [`${word}:${value}`, ...others]).join(" ");
}
