/** Checks the body of `/run` or `/runsync` by a scan of its bytes. The input stays raw. */
import { z } from "zod";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { closestName } from "../../../runtime/protocol/did-you-mean.ts";
import { kindInWords, kindOfValue, valueInWords } from "../input/problem-messages.ts";
import { type JsonKind, JsonScanner, type ScanResult } from "./raw-json/scanner.ts";
import { ServiceError, invalidRequest } from "../service-error.ts";

/** A job as a client submits it. */
export interface Submission {
  /** Raw JSON text of `input`, an object: a view of the body, not a copy. Emptied once it is stored. */
  input: Uint8Array;
  /** Memory of a large body. */
  readonly room?: BodyRoom;
  /** An http or https URL, unchanged; called when the job has ended. */
  readonly webhook?: string;
  /** Raw JSON text of `s3Config`, an object, for the worker. */
  readonly s3Config?: Uint8Array;
  readonly policy: SubmissionPolicy;
}

/** Disposed of once the job is stored. */
export interface BodyRoom extends Disposable {
  /** From now on the body is not read. */
  free(): void;
}

/** `policy` with defaults filled in (spec). */
export interface SubmissionPolicy {
  /** Maximum execution time of the job; absent: the endpoint's default. */
  readonly executionTimeoutMs?: number;
  /** True: the job causes no scaling. */
  readonly lowPriority: boolean;
  /** Time after submission at which the job is deleted, whatever its state. */
  readonly ttlMs: number;
}

const DEFAULT_POLICY: SubmissionPolicy = { lowPriority: false, ttlMs: LIMITS.ttlDefaultMs };

const INPUT_IS_MISSING = "input is required: an object with the parameters of the handler";

export const SUBMISSION_KEYS = ["input", "webhook", "policy", "s3Config"];

/** Maximum number of unknown keys that are checked for misspelling. */
const MAX_UNKNOWN_KEYS = 32;

/** Says of a string that holds an object, as JSON that was made of JSON. */
function twiceHint(kind: JsonKind, text: Uint8Array): string {
  const head = new TextDecoder().decode(text.subarray(0, 64));
  if (kind !== "string" || !/^\uFEFF?\s*"\s*(?:\\[nrt])*\s*\{/u.test(head)) return "";
  return ": the object is in a string, so it was made JSON twice; send the object itself, without quotes around it and with one JSON.stringify";
}

/** Creates a scanner that keeps what {@link readSubmission} needs, and the first few unknown keys. */
export function createSubmissionScanner(): JsonScanner {
  return new JsonScanner({ keep: SUBMISSION_KEYS, noteOthers: MAX_UNKNOWN_KEYS, isSent: true });
}

/**
 * Checks a whole body. `scan` is the result of a {@link createSubmissionScanner} that got exactly `body`. Unknown keys beside
 * `input` are ignored, because existing clients send some (ours).
 * @throws ServiceError `invalid_json`; `invalid_request` with one problem per mistake
 */
export function readSubmission(scan: ScanResult, body: Uint8Array): Submission {
  if (!scan.ok) throw new ServiceError("invalid_json", scan.fault.message);
  if (scan.kind !== "object") {
    const problem = `the body must be an object with the key "input"; got ${kindInWords(scan.kind)}`;
    throw invalidRequest([problem + twiceHint(scan.kind, body)]);
  }
  const problems: string[] = [];
  const span = scan.members.get("input");
  if (span === undefined) problems.push(INPUT_IS_MISSING);
  else if (span.kind !== "object")
    problems.push(
      `input must be an object; got ${kindInWords(span.kind)}` +
        twiceHint(span.kind, body.subarray(span.start)),
    );
  const input = body.subarray(span?.start, span?.end);
  const isAlone = scan.members.size === 1;
  if (isAlone && problems.length === 0) return { input, policy: DEFAULT_POLICY };
  const webhook = readMember(scan, body, WEBHOOK, problems);
  const policy = readMember(scan, body, POLICY, problems);
  const s3Config = readMember(scan, body, S3_CONFIG, problems);
  if (problems.length > 0) throw invalidRequest(problems);
  const timeout = policy?.value.executionTimeout;
  return {
    input,
    ...(webhook !== undefined && { webhook: webhook.value }),
    // Copies the text: a view would keep the whole body in memory.
    ...(s3Config !== undefined && { s3Config: new Uint8Array(s3Config.raw) }),
    policy: {
      ...(timeout !== undefined && { executionTimeoutMs: timeout }),
      lowPriority: policy?.value.lowPriority ?? DEFAULT_POLICY.lowPriority,
      ttlMs: policy?.value.ttl ?? DEFAULT_POLICY.ttlMs,
    },
  };
}

/** Rejects a user name or password in the URL, because their meaning is unclear. The message does not show them. */
const webhookSchema = httpUrl().refine((url) => !hasCredentials(url), {
  error:
    "must not contain a user name or a password; put a token into its path or query, or check the signature",
});

const policySchema = z
  .strictObject(
    {
      executionTimeout: boundedMs(LIMITS.executionTimeoutMinMs, LIMITS.executionTimeoutMaxMs),
      lowPriority: z.boolean({
        error: ({ input }) => `must be a boolean; got ${valueInWords(input)}`,
      }),
      ttl: boundedMs(LIMITS.ttlMinMs, LIMITS.ttlMaxMs),
    },
    { error: mustBeObject },
  )
  .partial();

/** All members are optional: the worker knows the ones that it needs, and may have defaults (ours). */
const s3ConfigSchema = z
  .looseObject(
    {
      accessId: secret(),
      accessSecret: secret(),
      bucketName: secret(),
      endpointUrl: httpUrl(),
      region: secret(),
      publicUrl: httpUrl(),
    },
    { error: mustBeObject },
  )
  .partial();

/** The whole body, for the OpenAPI document only: the service never parses a body as a whole. */
export const submissionSchema = z
  .looseObject({
    input: z.looseObject({}).meta({ description: "The parameters of the handler." }),
    webhook: webhookSchema.optional(),
    policy: policySchema.optional(),
    s3Config: s3ConfigSchema.optional(),
  })
  .meta({ id: "Submission" });

/** A member that is parsed, with its schema. */
interface MemberRule<Value> {
  readonly key: string;
  readonly maxBytes: number;
  readonly schema: z.ZodType<Value>;
  /** Keys suggested when an unknown key is refused. */
  readonly known: readonly string[];
}

const WEBHOOK: MemberRule<string> = {
  key: "webhook",
  maxBytes: LIMITS.webhookMaxBytes,
  schema: webhookSchema,
  known: [],
};

const POLICY: MemberRule<z.infer<typeof policySchema>> = {
  key: "policy",
  maxBytes: LIMITS.policyMaxBytes,
  schema: policySchema,
  known: Object.keys(policySchema.shape),
};

const S3_CONFIG: MemberRule<z.infer<typeof s3ConfigSchema>> = {
  key: "s3Config",
  maxBytes: LIMITS.s3ConfigMaxBytes,
  schema: s3ConfigSchema,
  known: [],
};

interface Member<Value> {
  readonly raw: Uint8Array;
  readonly value: Value;
}

/** The parsed member; undefined if it is absent or has problems. */
function readMember<Value>(
  scan: ScanResult & { ok: true },
  body: Uint8Array,
  rule: MemberRule<Value>,
  problems: string[],
): Member<Value> | undefined {
  const span = scan.members.get(rule.key);
  if (span === undefined) return undefined;
  const lengthBytes = span.end - span.start;
  if (lengthBytes > rule.maxBytes) {
    problems.push(
      `${rule.key} must be at most ${rule.maxBytes} bytes of JSON; got ${lengthBytes} bytes`,
    );
    return undefined;
  }
  const raw = body.subarray(span.start, span.end);
  const parsed: unknown = JSON.parse(new TextDecoder().decode(raw));
  const result = rule.schema.safeParse(parsed);
  if (result.success) return { raw, value: result.data };
  const sentences = result.error.issues.flatMap((issue) => sentencesOf(issue, rule));
  // A number may break several rules of its field; all of them have the same sentence.
  problems.push(...new Set(sentences));
  return undefined;
}

function sentencesOf(issue: z.core.$ZodIssue, rule: MemberRule<unknown>): readonly string[] {
  if (issue.code !== "unrecognized_keys") {
    return [`${[rule.key, ...issue.path].join(".")} ${issue.message}`];
  }
  return issue.keys.map((key) => {
    const near = closestName(key, rule.known);
    const hint =
      near === undefined ? `known are ${rule.known.join(", ")}` : `did you mean ${near}?`;
    return `${rule.key} has the unknown key ${valueInWords(key)}; ${hint}`;
  });
}

function mustBeObject(issue: z.core.$ZodRawIssue): string {
  return `must be an object; got ${kindInWords(kindOfValue(issue.input))}`;
}

function boundedMs(min: number, max: number): z.ZodInt {
  const error = ({ input }: z.core.$ZodRawIssue): string =>
    `must be an integer from ${min} to ${max} (ms); got ${valueInWords(input)}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

/** A secret string: no message shows its value. */
function secret(): z.ZodString {
  return z.string({
    error: ({ input }) => `must be a string; got ${kindInWords(kindOfValue(input))}`,
  });
}

function httpUrl(): z.ZodString {
  const error = ({ input }: z.core.$ZodRawIssue): string =>
    `must be an http or https URL; got ${valueInWords(input)}`;
  return z.string({ error }).refine(isHttpUrl, { error }).meta({ format: "uri" });
}

/** Stricter than the URL parser, which drops line breaks and adds missing slashes. */
function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) && URL.canParse(text);
}

function hasCredentials(text: string): boolean {
  if (!isHttpUrl(text)) return false;
  const { username, password } = new URL(text);
  return username !== "" || password !== "";
}
