/** The lines of the interface's tables, one rule each: limits, rate limits, errors, transitions and operations (source: spec). */

export const RULES = {
  Limits: [
    "/runsync takes a body of 20 MB and not a byte more",
    "/run takes a body of 10 MB and not a byte more",
    "a streamed chunk is at most 1 MB; larger output is split",
    "a sync result is kept for 1 minute, with wait for up to 5 minutes",
    "an async result is kept for 30 minutes",
    "wait is 1,000 to 300,000 ms, 90,000 ms by default",
    "policy.executionTimeout is 5 s to 7 days, 600,000 ms by default",
    "policy.ttl is 10 s to 7 days, 86,400,000 ms by default",
    "a webhook is tried 2 more times, 10 s apart",
    "the TTL counts from the submission and covers queue time and execution",
  ],
  "Rate limits": [
    "POST /runsync: 2,000 requests in 10 s, 400 at once",
    "POST /run: 1,000 requests in 10 s, 200 at once",
    "GET /status: 2,000 requests in 10 s, 400 at once",
    "GET /stream: 2,000 requests in 10 s, 400 at once",
    "POST /cancel: 100 requests in 10 s, 20 at once",
    "POST /purge-queue: 2 requests in 10 s",
    "POST /openai/*: 2,000 requests in 10 s, 400 at once",
    "GET /requests: 10 requests in 10 s, 2 at once",
    "the limit is higher where running workers × requests per worker is more",
  ],
  Errors: [
    "400: a request of invalid format or with invalid parameters, POST /templates with invalid input too",
    "401: the API key is wrong or lacks the permission",
    "404: the endpoint id is wrong, or the job was deleted because its TTL or its result expired",
    "429: the effective rate limit is exceeded",
    "500: an internal server error",
  ],
  Transitions: [
    "POST /run: none → IN_QUEUE, answered at once with the id",
    "POST /cancel of a queued job: IN_QUEUE → CANCELLED, and it never starts",
    "POST /cancel of a running job: IN_PROGRESS → CANCELLED, and execution is stopped",
    "POST /retry of a FAILED job: → IN_QUEUE with the same id and input, its output removed",
    "POST /retry of a TIMED_OUT job: → IN_QUEUE with the same id and input, its output removed",
    "TTL expiry: a job in any status is deleted, also while it runs",
    "result retention: a job is deleted after it and can be retried no more",
    "POST /purge-queue: waiting jobs are removed, running ones are unaffected",
  ],
  "Management operations": [
    "POST /templates: 200 with the template, 400 for invalid input",
    "POST /containerregistryauth: an object of id and name",
    "DELETE /containerregistryauth/{containerRegistryAuthId}: the credentials are gone",
    "DELETE /networkvolumes/{networkVolumeId}: the volume is gone",
    "POST /endpoints: an endpoint that takes jobs",
  ],
  "Job operations": [
    "POST /runsync: the job object with delayTime, executionTime, id, output and status",
    "POST /run: id and status IN_QUEUE",
    "GET /status/{job_id}: the job object, with output once there is one; ttl sets when it is deleted",
    "GET /stream/{job_id}: an array of chunks, each with output and metrics",
    "POST /cancel/{job_id}: id and status CANCELLED",
    "POST /retry/{job_id}: id and status IN_QUEUE, for a FAILED or TIMED_OUT job only",
    "POST /purge-queue: how many were removed, and status completed",
    "GET /health: the counts of jobs and of workers",
  ],
} as const;

export type RuleTable = keyof typeof RULES;
export const RULE_TABLES = Object.keys(RULES) as RuleTable[];
export type Rule = (typeof RULES)[RuleTable][number];
