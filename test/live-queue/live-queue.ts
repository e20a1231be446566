/** Test double: the queue of the live service, which accepts only its own protocol. */
import { once } from "node:events";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import {
  bodyOf,
  type CallKind,
  type CallOf,
  type QueueCall,
  readCall,
  type ReportCall,
  type TakeCall,
  workerEnvironment,
} from "./queue-call.ts";
import { QueueJob } from "./queue-job.ts";

/** A scripted answer to a request: before it takes effect, or after. */
export type Mishap =
  | { readonly status: number; readonly body?: string; readonly contentType?: string }
  | "lost-on-the-way"
  | "answer-lost"
  | { readonly delayMs: number };

export interface LiveQueueOptions {
  /** Time for which a request for jobs is held; ms, default 20,000. */
  readonly holdMs?: number;
  /** Time without a ping after which a job returns to the queue, ms; default: never. */
  readonly leaseMs?: number;
}

interface OpenPoll {
  readonly call: QueueCall;
  readonly response: ServerResponse;
  readonly timer: NodeJS.Timeout;
}

/** Use with `await using`; its end throws if a request broke the protocol. */
export class LiveQueue implements AsyncDisposable {
  readonly jobs = new Map<string, QueueJob>();
  readonly calls: QueueCall[] = [];
  readonly objections: string[] = [];
  readonly #options: LiveQueueOptions;
  readonly #server: http.Server;
  readonly #sockets = new Set<Socket>();
  readonly #mishaps = new Map<CallKind, Mishap[]>();
  #waiting: QueueJob[] = [];
  #polls: OpenPoll[] = [];
  #toStop: QueueJob[] = [];
  #isDown = false;
  #mayEnd = Promise.resolve();
  #origin = "";
  #count = 0;
  #lookers: (() => void)[] = [];
  #leases: NodeJS.Timeout | undefined;

  private constructor(options: LiveQueueOptions) {
    this.#options = options;
    this.#server = http.createServer((request, response) => void this.#serve(request, response));
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      if (this.#isDown) socket.destroy();
    });
  }

  static async start(options: LiveQueueOptions = {}): Promise<LiveQueue> {
    const queue = new LiveQueue(options);
    queue.#server.listen(0, "127.0.0.1");
    await once(queue.#server, "listening");
    queue.#origin = `http://127.0.0.1:${(queue.#server.address() as AddressInfo).port}`;
    const { leaseMs } = options;
    if (leaseMs !== undefined) queue.#leases = setInterval(() => queue.giveUpJobs(leaseMs), 10);
    return queue;
  }

  /** Environment of a worker with that id. */
  environment(workerId = "w-1"): Record<string, string> {
    return workerEnvironment(this.#origin, workerId);
  }

  /** @param given the job as the worker gets it; default: its id and input */
  submit(input: unknown = {}, given?: Readonly<Record<string, unknown>>): QueueJob {
    this.#count += 1;
    const id = `job-${this.#count}-e1`;
    const job = new QueueJob(id, given ?? { id, input });
    this.jobs.set(id, job);
    this.#waiting.push(job);
    this.#look();
    return job;
  }

  /** Stops a job that a worker holds. */
  stop(job: QueueJob): void {
    this.#toStop.push(job);
    this.#look();
  }

  /** Returns jobs of silent workers to the queue, for others. */
  giveUpJobs(silentMs = 0): void {
    for (const job of this.jobs.values()) {
      if (job.worker === undefined || job.isDone || job.isStopped) continue;
      if (performance.now() - job.heardAt < silentMs) continue;
      job.worker = undefined;
      job.chunks.length = 0;
      this.#waiting.push(job);
    }
    this.#look();
  }

  /** Answers the open requests for jobs with none. */
  endQuestions(): void {
    for (const poll of this.#polls.filter(({ call }) => call.kind === "take")) this.#end(poll);
  }

  /** Scripted answers to the next requests of that kind, one after the other. */
  upset(kind: CallKind, ...mishaps: readonly Mishap[]): void {
    this.#mishaps.set(kind, [...(this.#mishaps.get(kind) ?? []), ...mishaps]);
  }

  /** Breaks all connections, and refuses new ones. */
  cut(): void {
    this.#isDown = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  restore(): void {
    this.#isDown = false;
  }

  /** From now on an answer to a request for jobs begins at once, and ends no sooner than that. */
  endAnswersAfter(moment: Promise<void>): void {
    this.#mayEnd = moment;
  }

  get openQuestions(): number {
    return this.#polls.filter(({ call }) => call.kind === "take").length;
  }

  callsOf<K extends CallKind>(kind: K): CallOf<K>[] {
    return this.calls.filter((call): call is CallOf<K> => call.kind === kind);
  }

  /** Resolves when the events so far meet the condition. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!condition()) return;
        this.#lookers = this.#lookers.filter((other) => other !== look);
        resolve();
      };
      this.#lookers.push(look);
      look();
    });
  }

  async done(job: QueueJob): Promise<QueueJob> {
    await this.until(() => job.isDone);
    return job;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#leases);
    for (const { timer } of this.#polls) clearTimeout(timer);
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
    if (this.objections.length > 0) throw new Error(this.objections.join("\n"));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyOf(request);
    if (text === undefined) return;
    let call: QueueCall;
    try {
      call = readCall(request, text);
    } catch (error) {
      return this.#object(response, `${request.method} ${request.url}: ${String(error)}`);
    }
    this.calls.push(call);
    const mishap = this.#mishaps.get(call.kind)?.shift();
    if (mishap === "lost-on-the-way") request.socket.destroy();
    else if (typeof mishap === "object" && "status" in mishap) {
      const { status, body = "", contentType = "application/json" } = mishap;
      response.writeHead(status, { "content-type": contentType }).end(body);
    } else {
      if (typeof mishap === "object") await new Promise((go) => setTimeout(go, mishap.delayMs));
      if (mishap === "answer-lost") request.socket.destroy();
      this.#obey(call, response);
    }
    this.#look();
  }

  #obey(call: QueueCall, response: ServerResponse): void {
    switch (call.kind) {
      case "take":
        if (this.openQuestions > 0) this.#object(response, "two questions for jobs at a time");
        else this.#hold(call, response);
        return;
      case "stop":
        return this.#hold(call, response);
      case "ping":
        for (const id of call.jobIds) this.#heard(id, call.worker);
        return void response.end();
      case "done":
      case "stream":
        return this.#report(call, response);
    }
  }

  #report(call: ReportCall, response: ServerResponse): void {
    const { kind, jobId, worker, text, body, isStream } = call;
    const job = this.jobs.get(jobId);
    if (job === undefined || job.handOvers === 0) {
      return this.#object(response, `${kind} of ${jobId}, which nobody has: ${text}`);
    }
    if (job.isStopped) return this.#object(response, `${kind} of ${jobId}, which was stopped`);
    this.#heard(jobId, worker);
    if (kind === "done" && !("status" in body)) {
      job.results.push(text);
      job.isStream = isStream;
    } else if (job.isDone) {
      return this.#object(response, `${text} of ${jobId} after its result`);
    } else if (kind === "done") job.progress.push(body["output"]);
    else job.chunks.push(body["output"]);
    response.end("{}");
  }

  #hold(call: QueueCall, response: ServerResponse): void {
    const { holdMs = 20_000 } = this.#options;
    const poll: OpenPoll = {
      call,
      response,
      timer: setTimeout(() => this.#end(poll), holdMs),
    };
    response.on("close", () => this.#close(poll));
    this.#polls.push(poll);
  }

  #end(poll: OpenPoll): void {
    this.#close(poll);
    poll.response.writeHead(204).end();
  }

  #close(poll: OpenPoll): void {
    clearTimeout(poll.timer);
    this.#polls = this.#polls.filter((other) => other !== poll);
    this.#look();
  }

  /** Answers waiting polls, then tells the test that something has happened. */
  #look(): void {
    for (const poll of this.#polls) {
      const { call } = poll;
      if (call.kind === "take") this.#give(call, poll);
      else if (call.kind === "stop") this.#tellStops(call.worker, poll);
    }
    for (const look of this.#lookers) look();
  }

  #give({ worker, count }: TakeCall, poll: OpenPoll): void {
    const jobs = this.#waiting.splice(0, count);
    if (jobs.length === 0) return;
    for (const job of jobs) {
      job.handOvers += 1;
      this.#heard(job.id, worker);
    }
    const given = jobs.map((job) => job.given);
    this.#answer(poll, count === 1 ? given[0] : given);
  }

  #tellStops(worker: string, poll: OpenPoll): void {
    const jobs = this.#toStop.filter((job) => job.worker === worker && !job.isDone);
    if (jobs.length === 0) return;
    this.#toStop = this.#toStop.filter((job) => !jobs.includes(job));
    for (const job of jobs) job.isStopped = true;
    this.#answer(poll, { jobsToStop: jobs.map(({ id }) => id) });
  }

  #answer(poll: OpenPoll, value: unknown): void {
    clearTimeout(poll.timer);
    this.#polls = this.#polls.filter((other) => other !== poll);
    const text = JSON.stringify(value);
    poll.response.writeHead(200, { "content-type": "application/json; charset=utf-8" });
    poll.response.write(text.slice(0, 1));
    void this.#mayEnd.then(() => poll.response.end(text.slice(1)));
  }

  #heard(jobId: string, worker: string): void {
    const job = this.jobs.get(jobId);
    if (job === undefined) return;
    job.worker = worker;
    job.heardAt = performance.now();
  }

  #object(response: ServerResponse, what: string): void {
    this.objections.push(what);
    response.writeHead(418).end(what);
    for (const look of this.#lookers) look();
  }
}
