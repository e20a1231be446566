/** The texts at the start of the service (the ready line, and in a terminal curl lines to paste) and at its end. */
import type { ExampleCall } from "./example-call.ts";
import type { ExceededLimit, LimitMode, S3Access } from "../../index.ts";

export interface Announcement {
  /** For example `http://127.0.0.1:7080`. */
  readonly url: string;
  readonly endpointIds: readonly string[];
  /** Load balancing endpoints among them. */
  readonly balancedIds?: readonly string[];
  /** Example calls of endpoints. Default: a job with an empty input. */
  readonly exampleCalls?: ReadonlyMap<string, ExampleCall>;
  /** Undefined when only its digest is known. */
  readonly apiKey: string | undefined;
  /** Whether the key was made in this start, and must be shown. */
  readonly isNewKey: boolean;
  /** One-time link to the dashboard. Undefined without a dashboard. */
  readonly dashboard?: string | undefined;
  /** Undefined without an object store. */
  readonly s3: Pick<S3Access, "endpoint" | "accessKeyId" | "credentialsFile"> | undefined;
}

/** The line that programs wait for. */
export function readyLine({ url }: Pick<Announcement, "url">): string {
  return `ready ${url}\n`;
}

/** The sentence with the link to the dashboard. */
function dashboardSentence(link: string): string {
  return `Dashboard (one-time link): ${link}`;
}

/** The sentence that shows a new key. */
export function keySentence(apiKey: string): string {
  return `API key (shown once): ${apiKey}`;
}

/** The sentence about the object store for S3 clients. It names the file of the secret. */
export function s3Sentence({
  endpoint,
  accessKeyId,
  credentialsFile,
}: NonNullable<Announcement["s3"]>): string {
  return `object store (S3, path style) at ${endpoint}, access key id ${accessKeyId}, secret in ${credentialsFile}`;
}

/** The sentence about a key that cannot be shown any more. */
export const KEY_HINT =
  "the API key is that of the first start, and cannot be shown because only a digest is kept; to set a new one, start with SV_API_KEY=<key>";

/** The text below the ready line in a terminal: links, and a call of each endpoint. */
export function invitation(announcement: Announcement): string {
  const { url, apiKey, isNewKey, endpointIds, dashboard, s3 } = announcement;
  const places = [`API reference: ${url}/docs`];
  if (dashboard !== undefined) places.unshift(dashboardSentence(dashboard));
  if (apiKey === undefined)
    places.unshift(`${KEY_HINT}\nset $SV_API_KEY to it for the calls below`);
  else if (isNewKey) places.unshift(keySentence(apiKey));
  if (s3) places.push(s3Sentence(s3));
  const calls = endpointIds
    .slice(0, MOST_CALLS)
    .map((id) => `${id}\n  ${curlLine(announcement, id)}`);
  const more = endpointIds.length - calls.length;
  if (more > 0) calls.push(`… and ${more} more ${more === 1 ? "endpoint" : "endpoints"}`);
  return `\n${[places.join("\n"), ...calls].join("\n\n")}\n\n`;
}

const EMPTY_JOB: ExampleCall = { path: "runsync", body: '{"input":{}}' };

/** Maximum endpoints with a shown call. */
const MOST_CALLS = 5;

function curlLine(announcement: Announcement, endpointId: string): string {
  const { url, apiKey, balancedIds = [], exampleCalls } = announcement;
  const key =
    apiKey === undefined
      ? '-H "Authorization: Bearer $SV_API_KEY"'
      : `-H ${quoted(`Authorization: Bearer ${apiKey}`)}`;
  if (balancedIds.includes(endpointId)) return `curl -s ${url}/lb/${endpointId}/ ${key}`;
  const { path, body } = exampleCalls?.get(endpointId) ?? EMPTY_JOB;
  return `curl -s ${url}/v2/${endpointId}/${path} ${key} -d ${quoted(body)}`;
}

/** Any text as one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The sentence at the end of a run with `--limits warn` without an excess. */
export const NOTHING_EXCEEDED = "rate limits: no request was over those of production";

export function limitSentence(exceeded: ExceededLimit, mode: LimitMode): string {
  const { endpointId, operation, count, rate, concurrency, firstAt, lastAt } = exceeded;
  const requests = count === 1 ? "1 request" : `${count} requests`;
  const fate =
    mode === "warn"
      ? "would have been answered 429 in production"
      : `${count === 1 ? "was" : "were"} answered 429, as in production`;
  const peaks = [`up to ${rate.peak} in 10 s where ${rate.limit} are allowed`];
  if (concurrency !== undefined) {
    peaks.push(`up to ${concurrency.peak} at once where ${concurrency.limit} are allowed`);
  }
  const when = firstAt === lastAt ? `at ${iso(firstAt)}` : `from ${iso(firstAt)} to ${iso(lastAt)}`;
  return `rate limits: ${requests} to ${operation} of ${endpointId} ${fate}: ${peaks.join("; ")}; ${when}`;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
