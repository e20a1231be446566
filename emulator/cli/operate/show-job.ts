/** One job for a person to read: its status, its failure report, its attempts, and its input and output shortened. */
import { printableJson } from "../../../runtime/protocol/printable.ts";
import { durationInWords } from "../../core/time/duration.ts";
import { firstLine, type Paint } from "../terminal-text.ts";
import type { Attempt, JobDetails } from "./find-job.ts";
import { type Facts, factsText, tableText } from "./table.ts";
import { instantInWords, plain } from "./terminal.ts";

/** Maximum characters of a payload; `--json` shows all of it. */
const PAYLOAD_CHARACTERS = 2_000;

export function jobText(job: JobDetails, paint: Paint): string {
  const { failure } = job;
  const sections = [
    factsText(paint, jobFacts(job)),
    failure && `${paint("bold", "failure")}\n${factsText(paint, failureFacts(failure))}`,
    failure?.stack && block(paint, "stack", failure.stack),
    failure?.lastLogLines?.length &&
      block(paint, "last lines it wrote", failure.lastLogLines.join("\n")),
    attemptsText(job, paint),
    "input" in job && block(paint, "input", payloadText(job.input)),
    "output" in job && block(paint, outputTitle(job), payloadText(job.output)),
  ];
  return sections.filter((section) => typeof section === "string").join("\n");
}

function jobFacts(job: JobDetails): Facts {
  const { deletedAt } = job;
  return {
    job: job.id,
    endpoint: job.endpointId,
    status: { state: job.status },
    submitted: instantInWords(job.submittedAt),
    started: instantInWords(job.startedAt),
    ended: instantInWords(job.endedAt),
    expires: deletedAt === undefined ? instantInWords(job.expiresAt) : "",
    deleted: deletedAt && `${instantInWords(deletedAt)}; its input and output are gone`,
    waited: durationInWords(job.delayTime),
    executed: durationInWords(job.executionTime),
    limit: durationInWords(job.executionTimeout),
    attempt: job.attempt || "",
    retries: job.retries || "",
    chunks: job.chunks || "",
    worker: job.workerId,
    priority: job.lowPriority ? "low" : "",
    webhook: job.webhook,
    trace: job.traceparent,
  };
}

function failureFacts(failure: NonNullable<JobDetails["failure"]>): Facts {
  const { type, message, workerId, exitCode, signal, outOfMemory } = failure;
  const memory = outOfMemory === true ? "it ran out of memory" : "";
  return { type, message, worker: workerId, "exit code": exitCode, signal, memory };
}

/** A line for each attempt. Undefined if the lines would only repeat the job. */
function attemptsText(job: JobDetails, paint: Paint): string | undefined {
  const { attempts, attemptsLeftOut = 0 } = job;
  const isFirst = attempts.length === 1 && attempts[0]?.readyAt === undefined;
  if (attempts.length === 0 || isFirst) return undefined;
  const text = tableText(paint, attempts, {
    attempt: ({ number }) => number,
    outcome: ({ outcome }) => ({ state: outcome.replaceAll("_", " ") }),
    version: ({ version }) => version,
    worker: ({ workerId }) => workerId,
    started: ({ startedAt }) => instantInWords(startedAt),
    waited: ({ queuedAt, startedAt }) => between(queuedAt, startedAt),
    for: stagesInWords,
    ran: ({ startedAt, endedAt }) => between(startedAt, endedAt),
    why: ({ failure }) => firstLine(failure?.message),
  });
  const rest = attemptsLeftOut === 0 ? "" : `  … and ${attemptsLeftOut} attempts after the first\n`;
  return `${paint("bold", "attempts")}\n${text.replaceAll(/^(?=.)/gm, "  ")}${rest}`;
}

/** The known stages of the worker's start: `pull and start 12.0 s, boot 1.2 s, load and setup 3.0 s`. */
function stagesInWords(attempt: Attempt): string {
  const { workerStartedAt, pulledAt, bootedAt, readyAt } = attempt;
  const moments = [
    ["pull and start", pulledAt],
    ["boot", bootedAt],
    ["load and setup", readyAt],
  ] as const;
  let since = workerStartedAt;
  const stages: string[] = [];
  for (const [name, at] of moments) {
    if (at === undefined || since === undefined) continue;
    if (Date.parse(at) > Date.parse(since)) stages.push(`${name} ${between(since, at)}`);
    since = at;
  }
  return stages.join(", ");
}

function between(from: string, to: string | undefined): string {
  return to === undefined ? "" : durationInWords(Date.parse(to) - Date.parse(from));
}

/** Indented text below its title. */
export function block(paint: Paint, title: string, text: string): string {
  const lines = plain(text).split("\n");
  return `${paint("bold", title)}\n${lines.map((line) => `  ${line}\n`).join("")}`;
}

function outputTitle({ status }: JobDetails): string {
  return status === "IN_PROGRESS" ? "progress" : "output";
}

/** A payload, shortened. */
export function payloadText(value: unknown): string {
  const text = printableJson(JSON.stringify(value, undefined, 2));
  if (text.length <= PAYLOAD_CHARACTERS) return text;
  const rest = text.length - PAYLOAD_CHARACTERS;
  return `${text.slice(0, PAYLOAD_CHARACTERS)}\n… and ${rest} characters more; --json shows all`;
}
