/** Streams the log of one pod or worker: older lines first, then new ones (live). */
import { z } from "zod";
import {
  LINE_SOURCES,
  lineId,
  momentIn,
  serialIn,
  streamedLine,
} from "../../../core/observe/log/streamed-line.ts";
import { ServiceError } from "../../../core/service-error.ts";
import type { WorkerPort } from "../../../engine/workers/worker-port.ts";
import type { HistoryPort } from "../../../engine/observe/tell-port.ts";
import { FeedReader } from "../../../engine/observe/feed-reader.ts";
import type { LoggedLine } from "../../../engine/observe/log-feed.ts";
import { readPod } from "../../../engine/pods/manage-pods.ts";
import type { FlowingAnswer } from "../../operation/answers/answer.ts";
import { type Push, pushFeed } from "../../emulator/observe/push-feed.ts";
import type { Call, Operation } from "../../operation/operation.ts";
import type { AnswerContract } from "../../schemas/contract.ts";
import { notFitting } from "../rest-v2/problem.ts";
import { integerParameterV2, readParameters } from "../rest-v2/read-closed.ts";

const TAIL_MAX = 5_000;

const parameters = {
  source: z.enum(LINE_SOURCES).optional().meta({
    description: "`container`: what its program wrote; `system`: what the service says about it.",
  }),
  tail: integerParameterV2(0, TAIL_MAX).default(100).meta({
    description: "Number of older lines to begin with; `since` goes first.",
  }),
  since: z
    .string()
    .refine((text) => momentIn(text) !== undefined, { error: "is not a time (RFC 3339)" })
    .optional()
    .meta({ description: "Lines from this moment on.", format: "date-time" }),
};

const answers: Readonly<Record<200, AnswerContract>> = {
  200: {
    description: "Lines until the client goes away, the source is gone or the service stops.",
    content: { "text/event-stream": "Events with a `source`, a `line` and a `ts` as data." },
  },
};

interface WorkerPath {
  readonly endpointId: string;
  readonly workerId: string;
}

export const LOG_STREAM_V2_OPERATIONS = {
  /** `GET /v2/pods/{id}/logs`: lines from and about a pod, as server-sent events (live). */
  streamPodLogsV2: {
    methods: ["GET"],
    path: "/v2/pods/:podId/logs",
    owner: "service",
    contract: {
      tag: "pods",
      query: z.object(parameters),
      answers,
      errors: ["pod_not_found", "unprocessable"],
    },
    async perform(call) {
      const { engine } = call.service;
      const { podId } = call.path;
      readPod(engine, podId);
      return lines(call, podId, () => engine.steps.records.find("pod", podId) !== undefined);
    },
  } satisfies Operation<{ readonly podId: string }>,
  /** `GET /v2/serverless/{id}/workers/{workerId}/logs`: lines from and about a worker, as server-sent events (live). */
  streamWorkerLogsV2: {
    methods: ["GET"],
    path: "/v2/serverless/:endpointId/workers/:workerId/logs",
    contract: {
      tag: "endpoints",
      query: z.object(parameters),
      answers,
      errors: ["endpoint_not_found", "worker_not_found", "unprocessable"],
    },
    async perform(call) {
      const { service, path } = call;
      service.engine.directory.endpoint(path.endpointId);
      if (!isThere(service.engine, path)) throw noWorker(path);
      return lines(call, path.workerId, () => isThere(service.engine, path));
    },
  } satisfies Operation<WorkerPath>,
};

/** Whether the endpoint has the worker, or had it until recently. */
function isThere(
  { fleet, workerHistory }: WorkerPort & HistoryPort,
  { endpointId, workerId }: WorkerPath,
): boolean {
  return (
    fleet.find(workerId)?.endpointId === endpointId ||
    workerHistory.endedOf(endpointId).some(({ id }) => id === workerId)
  );
}

function noWorker({ endpointId, workerId }: WorkerPath): ServiceError {
  const message = `the endpoint "${endpointId}" has no worker "${workerId}", or it ended long ago`;
  return new ServiceError("worker_not_found", message);
}

/**
 * The service closes the stream of a slow reader. The reader reconnects and resumes after the last line it received.
 * @throws ServiceError unprocessable
 */
function lines(
  { service, request, query }: Call<unknown>,
  subjectId: string,
  goesOn: () => boolean,
): FlowingAnswer {
  const { logs, realClock } = service.engine;
  const wanted = readParameters(parameters, query);
  const { source } = wanted;
  const first = firstLines(wanted, request.headers["last-event-id"]);
  const isWanted = (line: LoggedLine) =>
    source === undefined || streamedLine(line.entry()).source === source;
  const push: Push<LoggedLine> = {
    follow: () =>
      new FeedReader<LoggedLine>(realClock, (listener) =>
        logs.followSubject(subjectId, (line) => {
          if (isWanted(line)) listener(line);
        }),
      ),
    before: () => ({ text: "", items: first(logs.linesOf(subjectId).filter(isWanted)) }),
    goesOn,
    written: (items) => items.map(frame).join(""),
  };
  return { flow: (response) => pushFeed(service, response, push) };
}

type LogParameters = z.output<z.ZodObject<typeof parameters>>;
type Choice = (lines: readonly LoggedLine[]) => readonly LoggedLine[];

/** Selects the older lines to begin with. A reconnecting client sends the id of its last line in `Last-Event-ID`. */
function firstLines(
  { tail, since }: Pick<LogParameters, "tail" | "since">,
  lastEventId: string | string[] | undefined,
): Choice {
  if (typeof lastEventId === "string" && lastEventId !== "") {
    const seen = serialIn(lastEventId);
    if (seen === undefined) throw notFitting([NO_ID]);
    return (all) => all.filter(({ serial }) => serial > seen);
  }
  const from = since === undefined ? undefined : momentIn(since);
  if (from !== undefined) return (all) => all.filter((line) => line.entry().at >= from);
  return (all) => (tail === 0 ? [] : all.slice(-tail));
}

const NO_ID = "header 'Last-Event-ID': is not the id of an event of such a stream";

function frame(logged: LoggedLine): string {
  const line = streamedLine(logged.entry());
  return `id: ${lineId(line, logged.serial)}\ndata: ${JSON.stringify(line)}\n\n`;
}
