/** The query of the list of jobs as one types it, `status:failed endpoint:x took:>5s some text`, and what it asks the service for. */
import { JOB_STATUSES, type JobStatus } from "../../../../runtime/protocol/job-status.ts";

/** As the service takes it; durations in ms, instants in ISO 8601. */
export interface JobFilter {
  readonly endpointId?: string;
  readonly status?: readonly JobStatus[];
  readonly kind?: "async" | "sync";
  readonly search?: string;
  readonly minDelay?: number;
  readonly minExecution?: number;
  readonly since?: string;
  readonly until?: string;
}

export interface JobQuery {
  readonly filter: JobFilter;
  /** What was not understood, each in a sentence. */
  readonly problems: readonly string[];
}

/** What may stand before a colon, with what it means: for the help. */
export const QUERY_WORDS = {
  status: "queued, running, completed, failed, timed_out or cancelled; several with commas",
  endpoint: "the id of an endpoint",
  took: "the least execution time, like >5s or >250ms",
  waited: "the least time in the queue, like >1m",
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

/** @param now what `since:10m` counts from, ms */
export function readJobQuery(text: string, now: number): JobQuery {
  const problems: string[] = [];
  const filter: { -readonly [Key in keyof JobFilter]: JobFilter[Key] } = {};
  const words: string[] = [];
  for (const token of tokensOf(text)) {
    const [, word = "", value = ""] = /^([a-z]+):(.*)$/su.exec(token) ?? [];
    if (!isWord(word)) {
      words.push(token);
      if (UNKNOWN_WORD.test(token))
        problems.push(`“${token}” is looked for as it is: there is no such word`);
      continue;
    }
    const part = partOf(word, value, now);
    if (typeof part === "string") problems.push(part);
    else Object.assign(filter, part);
  }
  if (words.length > 0) filter.search = words.join(" ");
  return { filter, problems };
}

/** As the words are written; addresses are none. */
const UNKNOWN_WORD = /^[a-z]+:[^/]/u;

function isKind(text: string): text is "async" | "sync" {
  return text === "async" || text === "sync";
}

function isWord(text: string): text is Word {
  return Object.hasOwn(QUERY_WORDS, text);
}

/** Words, and texts in quotes that hold spaces. */
function tokensOf(text: string): readonly string[] {
  const tokens = text.match(/(?:[a-z]+:)?"[^"]*"|\S+/gu) ?? [];
  return tokens.map((token) => token.replaceAll('"', "")).filter((token) => token !== "");
}

/** A sentence where it makes no sense. */
function partOf(word: Word, value: string, now: number): JobFilter | string {
  switch (word) {
    case "status":
      return statusesOf(value);
    case "endpoint":
      return value === "" ? "endpoint: wants the id of an endpoint" : { endpointId: value };
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
        ? `${word}:${value} is no time: 10m, 2h or an instant`
        : { [word]: at };
    }
  }
}

function statusesOf(value: string): JobFilter | string {
  const names = value.toLowerCase().split(",");
  const unknown = names.find((name) => STATUS_WORDS[name] === undefined);
  if (unknown !== undefined) return `there is no status "${unknown}"`;
  return { status: [...new Set(names.flatMap((name) => STATUS_WORDS[name] ?? []))] };
}

function boundOf(word: Word, value: string, make: (ms: number) => JobFilter): JobFilter | string {
  const ms = durationOf(value.replace(/^>=?/u, ""));
  return ms === undefined ? `${word}:${value} is no duration: >5s, >250ms or >1m` : make(ms);
}

function durationOf(text: string): number | undefined {
  const [, number = "", unit = "ms"] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/u.exec(text) ?? [];
  return number === "" ? undefined : Math.round(Number(number) * (UNIT_MS[unit] ?? 1));
}

/** To the minute where it is relative, so that the same words ask for the same. */
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
