/** Plays generated requests against a real server and checks every answer against the OpenAPI document. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { Pool } from "undici";
import { ALL_DOCUMENTED, assertDocumented } from "../unit/http/documented.ts";
import { KEY, startTestHttp, type TestHttp } from "../unit/http/http-harness.ts";
import { FAILING_INPUT, IdleLauncher, startBusyWorker } from "./busy-workers.ts";
import { KnownId, KnownIds, type Place } from "./known-ids.ts";
import { nameOf, requestsTo, type FuzzRequest } from "./request-arbitrary.ts";
import { LOOK_MS } from "../setup/patience.ts";

/** Number of concurrent requests. */
const BATCH = 48;
/** Number of batches after which the wanted operations are determined again. */
const BATCHES_A_LOOK = 4;

/** Maximum real time of an answer without a wait. */
const PATIENCE_MS = 4;
/** Service time of an advance: after each batch, and while only answers that wait for it are left. */
const STEP_MS = 100_000;
/** Service time after which the reader of a stream disconnects. */
const HANG_UP_MS = 400_000;

const MOST_WORKERS = 20;

/** Number of answers by operation and status: `GET /v1/templates 200`. */
export type Tally = Map<string, number>;

export function answersIn(tally: Tally): number {
  return [...tally.values()].reduce((sum, count) => sum + count, 0);
}

/** Resources that exist from the beginning. */
const ALWAYS = {
  endpointId: { endpointId: "echo" },
  templateId: { templateId: "echo" },
  file: { file: "show.js" },
  path: { path: "chat/completions" },
};

/**
 * Plays `count` requests from `seed` on a new service, and counts the answers in `tally`.
 * @throws Error that shows the request, for an undocumented answer or a logged defect
 */
export async function playRequests(seed: number, count: number, tally: Tally): Promise<void> {
  const requests = fc.sample(requestsTo(), { seed, numRuns: count });
  await play(seed, tally, [requests]);
}

/**
 * Plays requests on a new service until no operation is wanted any more, at most `count`. Half of them go to the wanted operations, and
 * to those that make or list what these ask for.
 * @throws Error as `playRequests` does
 */
export async function playUntilDone(
  seed: number,
  count: number,
  tally: Tally,
  wanted: () => ReadonlySet<string>,
): Promise<void> {
  const numRuns = BATCHES_A_LOOK * BATCH;
  const stretches = function* () {
    for (let at = 0; at < count && wanted().size > 0; at += numRuns)
      yield fc.sample(requestsTo(withSources(wanted())), { seed: seed + at, numRuns });
  };
  await play(seed, tally, stretches());
}

async function play(
  seed: number,
  tally: Tally,
  stretches: Iterable<readonly FuzzRequest[]>,
): Promise<void> {
  const launcher = new IdleLauncher();
  await using service = await startTestHttp({ launcher, dashboard: "on" });
  launcher.engine = service.test.engine;
  const pool = new Pool(service.url, { connections: BATCH, pipelining: 1 });
  try {
    const round = new Round(service, pool, tally);
    let played = 0;
    for (const requests of stretches) {
      for (let from = 0; from < requests.length; from += BATCH) {
        await round.play(requests.slice(from, from + BATCH)).catch((error: unknown) => {
          throw new Error(`seed ${seed}, of the requests from ${played} on: ${String(error)}`, {
            cause: error,
          });
        });
        played += BATCH;
      }
    }
    await assertUnharmed(service, seed);
  } finally {
    await pool.destroy();
  }
}

class Round {
  readonly #service: TestHttp;
  readonly #pool: Pool;
  readonly #tally: Tally;
  readonly #ids = new KnownIds(ALWAYS);
  readonly #failures: unknown[] = [];
  #stopWorker: (() => void) | undefined;
  #answered = 0;

  constructor(service: TestHttp, pool: Pool, tally: Tally) {
    this.#service = service;
    this.#pool = pool;
    this.#tally = tally;
  }

  async play(requests: readonly FuzzRequest[]): Promise<void> {
    await this.#haveEcho();
    await this.#haveIdleWorker();
    await this.#haveFailedJob();
    const hangUp = new AbortController();
    const played = Promise.all(requests.map((request) => this.#send(request, hangUp.signal)));
    const isOver = () => played.then(() => true);
    // Clients that wait for a job or a stream use the service's clock.
    const { clock } = this.#service.test;
    let passedMs = 0;
    let answered = -1;
    while (!(await Promise.race([isOver(), patience()]))) {
      // The next requests may need no time, in which jobs end and are deleted.
      if (this.#answered > answered) {
        answered = this.#answered;
        continue;
      }
      await clock.advance(STEP_MS);
      passedMs += STEP_MS;
      if (passedMs > HANG_UP_MS) hangUp.abort();
    }
    for (const learned of await played) learned?.();
    await clock.advance(STEP_MS);
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  /** The jobs' endpoint may just have been deleted. */
  async #haveEcho(): Promise<void> {
    const { test } = this.#service;
    const isThere = test.engine.directory.findEndpoint("echo") !== undefined;
    if (isThere && this.#stopWorker) return;
    this.#stopWorker?.();
    if (!isThere) await test.addEndpoint("echo");
    this.#stopWorker = await startBusyWorker(test, "echo", (error) => this.#failures.push(error));
  }

  /** Only a worker that the service started can be killed or frozen. */
  async #haveIdleWorker(): Promise<void> {
    const { test } = this.#service;
    const { directory, fleet } = test.engine;
    if (!directory.findEndpoint("idle")) await test.addEndpoint("idle", { workersMin: 1 });
    for (const { id } of fleet.workersOf("idle")) this.#ids.add("workerId", { workerId: id });
  }

  /** Only a job that has failed can be retried, and a webhook is called for few of the others. */
  async #haveFailedJob(): Promise<void> {
    const body = { input: FAILING_INPUT, webhook: "http://127.0.0.1:9/" };
    const { json } = await this.#service.call("POST", "/v2/echo/run", { body });
    for (const id of idsIn(json)) this.#ids.add("jobId", { endpointId: "echo", jobId: id });
  }

  /** Resolves with the ids to remember from the answer. */
  async #send(request: FuzzRequest, hangUp: AbortSignal): Promise<(() => void) | undefined> {
    const place = this.#placeOf(request);
    const target = request.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => place[name] ?? "");
    const query = request.query.map(
      ([name, value]) => `${name}=${encodeURIComponent(String(this.#ids.chosen(value)))}`,
    );
    const path = query.length > 0 ? `${target}?${query.join("&")}` : target;
    const body = this.#bodyOf(request);
    try {
      const answer = await this.#pool.request({
        method: request.method,
        path,
        headers: { ...request.headers, ...keyOf(request) },
        ...(body === undefined ? {} : { body }),
        signal: isStream(request) ? hangUp : AbortSignal.timeout(LOOK_MS),
      });
      const { statusCode: status, headers } = answer;
      // Some streams end only with their reader.
      this.#count(`${nameOf(request)} ${status}`);
      const text = await answer.body.text();
      assertDocumented(request.method, path, { status, headers, text });
      // Streams and the documentation page are no JSON.
      const isJson = String(headers["content-type"]).startsWith("application/json");
      return status < 300 && isJson ? () => this.#learn(request, place, text) : undefined;
    } catch (error) {
      if (hangUp.aborted && isStream(request)) return undefined;
      const sent = `${request.method} ${path} with ${body ?? "no body"}`;
      const made = `made of ${JSON.stringify(request)}`;
      throw new Error(`${sent}, ${made}: ${String(error)}`, { cause: error });
    } finally {
      this.#answered += 1;
    }
  }

  #count(what: string): void {
    this.#tally.set(what, (this.#tally.get(what) ?? 0) + 1);
  }

  /** The last parameter names a resource, and with it the values of the others. */
  #placeOf({ parameters }: FuzzRequest): Place {
    const entries = Object.entries(parameters);
    const [, last] = entries.at(-1) ?? [];
    const whole = last instanceof KnownId ? this.#ids.place(last) : {};
    const own = entries.map(([name, value]) => {
      if (typeof value === "string") return [name, value];
      return [name, encodeURIComponent(whole[name] ?? this.#ids.place(value)[name] ?? "")];
    });
    return Object.fromEntries(own) as Place;
  }

  #bodyOf({ body }: FuzzRequest): string | undefined {
    if (body === undefined) return undefined;
    return "raw" in body ? body.raw : JSON.stringify(this.#ids.chosen(body.json), fewWorkers);
  }

  /** Remembers the resources in the answer. */
  #learn({ method, path }: FuzzRequest, place: Place, text: string): void {
    const parameter = parameterNamedBy(method, path);
    if (parameter === undefined || text === "") return;
    // Lists begin with the newest, which must be remembered longest.
    for (const id of idsIn(JSON.parse(text)).toReversed())
      this.#ids.add(parameter, { ...place, [parameter]: id });
  }
}

/** Bounds the workers of an endpoint, because this machine has no room for a million. */
function fewWorkers(name: string, value: unknown): unknown {
  const isCount = ["workersMin", "workersMax", "min", "max"].includes(name);
  return isCount && typeof value === "number" ? Math.min(value, MOST_WORKERS) : value;
}

/** Some requests kill or freeze workers, and idle ones are silent: log lines about that are no defects. */
const END_OF_WORKER = /^worker (?:ended unasked|could not initialize|said nothing|was to leave)/;

/** @throws Error if the service logged a defect or does not answer any more */
async function assertUnharmed(service: TestHttp, seed: number): Promise<void> {
  const defect = service.test.logged.find(
    ({ level, message }) => level === "error" && !END_OF_WORKER.test(message),
  );
  assert.equal(defect, undefined, `seed ${seed}: ${JSON.stringify(defect)}`);
  const { status } = await service.call("GET", "/v1/endpoints");
  assert.equal(status, 200, `seed ${seed}: the service lists no endpoints any more`);
}

/** The ids of a resource, of an array of resources, or of a page of them. */
function idsIn(answer: unknown): readonly string[] {
  if (typeof answer !== "object" || answer === null) return [];
  if ("id" in answer && typeof answer.id === "string") return [answer.id];
  const things: readonly unknown[] = Array.isArray(answer) ? answer : Object.values(answer).flat();
  return things.flatMap((thing) => (Array.isArray(thing) ? [] : idsIn(thing)));
}

/** The parameter that names what this operation creates or lists, in other paths; undefined if there is none. */
function parameterNamedBy(method: string, path: string): string | undefined {
  if (method !== "POST" && method !== "GET") return undefined;
  if (/\/run(?:sync)?$/.test(path)) return "jobId";
  const item = ALL_DOCUMENTED.find((each) => each.path.startsWith(`${path}/{`));
  return /^\{(\w+)\}/.exec(item?.path.slice(path.length + 1) ?? "")?.[1];
}

/** These operations, and those with answers that contain the ids of their paths. */
function withSources(wanted: ReadonlySet<string>): ReadonlySet<string> {
  const sources = ALL_DOCUMENTED.filter(({ method, path }) => {
    const parameter = parameterNamedBy(method, path);
    if (parameter === undefined || parameter in ALWAYS) return false;
    return [...wanted].some((each) => each.includes(`{${parameter}}`));
  });
  return new Set([...wanted, ...sources.map(nameOf)]);
}

function keyOf({ key }: FuzzRequest): Record<string, string> {
  switch (key) {
    case "good":
      return { authorization: `Bearer ${KEY}` };
    case "bare":
      return { authorization: KEY };
    case "wrong":
      return { authorization: "Bearer wrong" };
    case "none":
      return {};
  }
}

/** Events may continue while the client listens. */
function isStream({ path, method }: FuzzRequest): boolean {
  const found = ALL_DOCUMENTED.find((each) => each.path === path && each.method === method);
  return JSON.stringify(found?.operation.responses?.["200"] ?? "").includes("text/event-stream");
}

/** Resolves to false after a while. */
function patience(): Promise<boolean> {
  return new Promise((resolve) => {
    setTimeout(resolve, PATIENCE_MS, false);
  });
}
