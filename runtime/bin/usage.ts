/** The help of `sv-worker`, its exit codes, and the error for wrong use. */
import { LIMITS } from "../protocol/limits.ts";

export const EXIT = { done: 0, failed: 1, usage: 2, handlerUnusable: 3, refused: 4 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The meaning of each exit code, for `--help` and the reference. */
export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  [EXIT.done]:
    "drained: running jobs have finished or were handed back; with run: the job completed",
  [EXIT.failed]: "stopped at once by a second signal; with run: the job did not complete",
  [EXIT.usage]: "wrong usage: an unknown flag, a missing or invalid value",
  [EXIT.handlerUnusable]: "the handler or the server cannot be loaded",
  [EXIT.refused]: "the service refused this worker",
};

/** The message names the problem and the allowed values; it may have several lines. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code = "usage";
}

const exitHelp = Object.entries(EXIT_MEANINGS)
  .map(([code, meaning]) => `  ${code}  ${meaning}`)
  .join("\n");

export const HELP = `Usage: sv-worker [options] [handler]
       sv-worker run [options] <handler>
       sv-worker server [server]

Runs a handler as a worker of a service. With run: on one job, without any service. With server: an
HTTP server of your own, as a worker of a load balancing endpoint.

Arguments:
  handler               a handler file (.ts, .mts, .cts, .tsx, .js, .mjs, .cjs) or a directory with
                        a handler.ts; default: SV_HANDLER. A directory called run is ./run
  server                a file of the same kinds or a directory with a server.ts; default:
                        SV_HANDLER. A directory called server is ./server

Options of run:
  --input <json>        the job's input, a JSON object
  --input-file <file>   a file with it; without either, or with -, it is read from stdin
  --timeout-ms <ms>     the job's executionTimeout (default: ${LIMITS.executionTimeoutDefaultMs})
  --objects <directory> keep what the handler uploads there, as files, in place of a bucket

Options:
  --inspect[=<address>] let a debugger into the handler process, at host:port or a port
                        (default: 127.0.0.1:9229)
  -v, --version         print the version
  -h, --help            print this help

Environment:
  SV_SERVICE_ADDRESS    gRPC address of the service: tls://host:port, unix:/path, or host:port of
                        this machine, with commas between several; not with run
  SV_WORKER_TOKEN       this worker's token; not with run
  RUNPOD_WEBHOOK_GET_JOB and its like
                        set by the live service for its workers; where the first two are not, jobs
                        are taken there
  SV_EXECUTION_TIMEOUT_MS
                        executionTimeout of jobs of the live service that come without one
                        (default: ${LIMITS.executionTimeoutMaxMs}, the service ends them itself)
  SV_HANDLER            the handler, where none is given
  SV_GRACE_MS           time between the abort signal and SIGTERM, and again between SIGTERM and
                        SIGKILL (default: ${LIMITS.handlerGraceMs})
  SV_INIT_LIMIT_MS      time for importing the handler and its setup (default: 420000)
  SV_DRAIN_LIMIT_MS     time for running jobs after the first signal; then they are handed back
                        (default: 30000)
  SV_STANDBY            what waits to take over from a handler process that ends: 0 nothing, idle a
                        process with nothing loaded, loaded one with the handler set up
                        (default: idle; with run: 0)
  SV_INSPECT            the same as --inspect=<address>, which wins
  SV_LOG_LEVEL          least level of the log on stderr: debug, info, warn, error (default: debug)
  SV_LOG_FORMAT         json or pretty (default: pretty in a terminal, otherwise json)
  SV_S3_ENDPOINT, SV_S3_ACCESS_KEY_ID, SV_S3_SECRET_ACCESS_KEY, SV_S3_BUCKET, SV_S3_REGION,
  SV_S3_PUBLIC_URL      the bucket of jobs that bring no s3Config; without the region it is derived
  SV_VOLUME_PATH        directory whose files outlive the worker, for the handler
  SV_HEARTBEAT_FILE     a file the worker makes and touches every 5 s, for health checks; with
                        server it holds the address at which the server is asked for its health
  SV_EXIT_ON_STDIN_END  1: the worker ends when its standard input does; not with run
  HOST, PORT, PORT_HEALTH, HEALTH_CHECK_PATH
                        with server: at which address and port it has to listen, at which port it
                        is asked for its health, and at which path (defaults: 0.0.0.0, 80, PORT, /ping)

The first SIGTERM, SIGINT or SIGHUP drains: no further job is taken, running ones finish.
A second one hands back what runs and stops at once. With run the first one cancels the job. With
server they are the server's own affair.

With run, stdout gets each chunk as a line of JSON when it is yielded, and the output as the last
line. The log and the reason of a failure go to stderr.

Exit codes:
${exitHelp}
`;
