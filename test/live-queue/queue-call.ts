/** Reads a worker's requests to the live queue, and reports everything outside the protocol. */
import type { IncomingMessage } from "node:http";

const ENDPOINT = "ep-1";
const KEY = "live-key";
const GPU = "NVIDIA L4";

interface Of<K extends string> {
  readonly kind: K;
  readonly worker: string;
}

export interface TakeCall extends Of<"take"> {
  /** 1 at the address for one job, where the answer is an object. */
  readonly count: number;
  /** Whether it reports that it holds jobs. */
  readonly isBusy: boolean;
}

export interface ReportCall extends Of<"done" | "stream"> {
  readonly jobId: string;
  readonly isStream: boolean;
  /** The unchanged body. */
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface PingCall extends Of<"ping"> {
  readonly jobIds: readonly string[];
  readonly unhealthy: string | undefined;
}

export type QueueCall = TakeCall | ReportCall | PingCall | Of<"stop">;
export type CallKind = QueueCall["kind"];
export type CallOf<K extends CallKind> = Extract<QueueCall, { readonly kind: K }>;

/** The error of a request that no worker may send. */
class StrangeCall extends Error {
  override readonly name = "StrangeCall";
}

/** Variables of a worker's environment. The worker fills in `$ID` and `$RUNPOD_POD_ID`. */
export function workerEnvironment(origin: string, workerId: string): Record<string, string> {
  const base = `${origin}/v2/${ENDPOINT}`;
  const gpu = `gpu=${encodeURIComponent(GPU).replaceAll("%20", "+")}`;
  return {
    RUNPOD_WEBHOOK_GET_JOB: `${base}/job-take/$ID?${gpu}`,
    RUNPOD_WEBHOOK_POST_OUTPUT: `${base}/job-done/$RUNPOD_POD_ID/$ID?${gpu}`,
    RUNPOD_WEBHOOK_POST_STREAM: `${base}/job-stream/$RUNPOD_POD_ID/$ID?${gpu}`,
    RUNPOD_WEBHOOK_PING: `${base}/ping/$RUNPOD_POD_ID`,
    RUNPOD_PING_INTERVAL: "1000",
    RUNPOD_AI_API_KEY: KEY,
    RUNPOD_POD_ID: workerId,
    RUNPOD_POD_HOSTNAME: "pod-host",
    RUNPOD_ENDPOINT_ID: ENDPOINT,
  };
}

/** @throws StrangeCall */
export function readCall(request: IncomingMessage, text: string): QueueCall {
  const { pathname, searchParams: query } = new URL(request.url ?? "", "http://queue");
  const [, version, endpoint, operation = "", worker = "", jobId, more] = pathname
    .split("/")
    .map((part) => decodeURIComponent(part));
  demand(version === "v2" && endpoint === ENDPOINT && worker !== "", `path ${pathname}`);
  demand(more === undefined, `path ${pathname}`);
  checkHeaders(request);
  if (operation === "job-done" || operation === "job-stream") {
    demand(jobId !== undefined && jobId !== "", `path ${pathname}`);
    return readReport(request, { operation, worker, jobId: jobId ?? "", query, text });
  }
  demand(jobId === undefined, `path ${pathname}`);
  demand(request.method === "GET" && text === "", `${request.method} with body "${text}"`);
  demand(request.headers["content-type"] === "application/json", "content-type of a question");
  switch (operation) {
    case "job-take":
      checkQuery(query, ["gpu", "job_in_progress"]);
      return { kind: "take", worker, count: 1, isBusy: isBusy(query) };
    case "job-take-batch": {
      checkQuery(query, ["gpu", "job_in_progress", "batch_size"]);
      const count = Number(query.get("batch_size"));
      demand(Number.isInteger(count) && count >= 2, `batch_size ${count}`);
      return { kind: "take", worker, count, isBusy: isBusy(query) };
    }
    case "job-stop":
      checkQuery(query, ["gpu"]);
      return { kind: "stop", worker };
    case "ping":
      return readPing(worker, query);
    default:
      throw new StrangeCall(`operation ${operation}`);
  }
}

const isBusy = (query: URLSearchParams): boolean => query.get("job_in_progress") === "1";

function readPing(worker: string, query: URLSearchParams): PingCall {
  const unhealthy = query.get("status") === "unhealthy" ? query.get("reason") : undefined;
  if (unhealthy === undefined) {
    checkQuery(query, query.has("job_id") ? ["job_id", "runpod_version"] : ["runpod_version"]);
  } else {
    checkQuery(query, ["status", "check", "reason", "runpod_version"]);
    demand((unhealthy ?? "").length <= 256, "a reason of more than 256 characters");
    demand(query.get("check") !== "", "an empty check");
  }
  demand(/^sv-runtime\/\d/u.test(query.get("runpod_version") ?? ""), "runpod_version");
  demand(query.get("job_id") !== "", "an empty job_id");
  const jobIds = query.get("job_id")?.split(",") ?? [];
  return { kind: "ping", worker, jobIds, unhealthy: unhealthy ?? undefined };
}

function readReport(
  { method, headers }: IncomingMessage,
  report: {
    readonly operation: string;
    readonly worker: string;
    readonly jobId: string;
    readonly query: URLSearchParams;
    readonly text: string;
  },
): ReportCall {
  const { operation, worker, jobId, query, text } = report;
  demand(method === "POST", `${method} of a report`);
  demand(headers["content-type"] === "application/x-www-form-urlencoded", "content-type");
  demand(headers["charset"] === "utf-8", "charset");
  demand(Number(headers["content-length"]) === Buffer.byteLength(text), "content-length");
  demand(headers["x-request-id"] === jobId, "x-request-id");
  checkQuery(query, ["gpu", "isStream"]);
  const isStream = query.get("isStream") === "true";
  const body = readBody(text);
  const isDone = operation === "job-done";
  const allowed = isDone ? ["output", "error", "status"] : ["output"];
  for (const key of Object.keys(body)) demand(allowed.includes(key), `"${key}" in ${operation}`);
  demand(isDone || ("output" in body && !isStream), `a chunk ${text}`);
  if ("status" in body) {
    demand(body["status"] === "IN_PROGRESS" && "output" in body && !isStream, `progress ${text}`);
  }
  if ("error" in body) checkError(body["error"], worker);
  return { kind: isDone ? "done" : "stream", worker, jobId, isStream, text, body };
}

function readBody(text: string): Readonly<Record<string, unknown>> {
  try {
    const body = JSON.parse(text) as unknown;
    demand(typeof body === "object" && body !== null && !Array.isArray(body), `body ${text}`);
    return body as Readonly<Record<string, unknown>>;
  } catch {
    throw new StrangeCall(`body ${text.slice(0, 200)}`);
  }
}

/** A text with an object in it, as the SDK makes it. */
function checkError(error: unknown, worker: string): void {
  demand(typeof error === "string", "an error that is no text");
  const read = readBody(String(error));
  const { hostname, worker_id: named } = read;
  demand(hostname === "pod-host" && named === worker, `error ${String(error)}`);
  for (const key of ["error_type", "error_message", "error_traceback", "runpod_version"]) {
    demand(typeof read[key] === "string", `"${key}" of an error`);
  }
}

function checkHeaders({ headers }: IncomingMessage): void {
  demand(headers.authorization === KEY, `authorization "${headers.authorization}"`);
  demand(/^sv-runtime\/\d/u.test(headers["user-agent"] ?? ""), "user-agent");
}

function checkQuery(query: URLSearchParams, names: readonly string[]): void {
  demand(
    [...query.keys()].toSorted().join() === names.toSorted().join(),
    `query ${query.toString()}`,
  );
  if (names.includes("gpu")) demand(query.get("gpu") === GPU, `gpu ${query.get("gpu")}`);
  if (names.includes("job_in_progress")) {
    demand(
      /^[01]$/u.test(query.get("job_in_progress") ?? ""),
      `job_in_progress in ${query.toString()}`,
    );
  }
  if (names.includes("isStream")) {
    demand(
      /^(?:true|false)$/u.test(query.get("isStream") ?? ""),
      `isStream in ${query.toString()}`,
    );
  }
}

function demand(holds: boolean, what: string): void {
  if (!holds) throw new StrangeCall(what);
}

/** Undefined if the connection was lost in the middle of it. */
export async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  try {
    for await (const part of request) parts.push(part as Buffer);
  } catch {
    return undefined;
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts));
}
