/** One job for a person to read: where it stands, its failure report, its input and output shortened. */
import { printableJson } from "../../../runtime/protocol/printable.ts";
import type { ShownFailure, ShownJob } from "./answers.ts";
import { attemptsText } from "./show-attempts.ts";
import { type Facts, factsText } from "./table.ts";
import { durationInWords } from "../../core/time/duration.ts";
import {
  instantInWords,
  type Paint,
  painter,
  plain,
  statusInColor,
  type Terminal,
} from "./terminal.ts";

/** Of a payload; `--json` has it whole. */
const PAYLOAD_CHARACTERS = 2_000;

export function jobText(job: ShownJob, terminal: Pick<Terminal, "colors">): string {
  const paint = painter(terminal);
  const sections = [
    factsText(paint, factsOf(job, paint)),
    job.failure && `${paint("bold", "failure")}\n${factsText(paint, failureFacts(job.failure))}`,
    job.failure?.stack && block(paint, "stack", job.failure.stack),
    job.failure?.lastLogLines?.length &&
      block(paint, "last lines it wrote", job.failure.lastLogLines.join("\n")),
    attemptsText(job, paint),
    "input" in job && block(paint, "input", payloadText(job.input)),
    "output" in job && block(paint, outputTitle(job), payloadText(job.output)),
  ];
  return sections.filter((section) => typeof section === "string").join("\n");
}

function factsOf(job: ShownJob, paint: Paint): Facts {
  return [
    ["job", plain(job.id)],
    ["endpoint", plain(job.endpointId)],
    ["status", statusInColor(paint, job.status)],
    ["submitted", instantInWords(job.submittedAt)],
    ["started", instantInWords(job.startedAt)],
    ["ended", instantInWords(job.endedAt)],
    ["expires", job.deletedAt === undefined ? instantInWords(job.expiresAt) : ""],
    [
      "deleted",
      job.deletedAt === undefined
        ? ""
        : `${instantInWords(job.deletedAt)}; its input and output are gone`,
    ],
    ["waited", durationInWords(job.delayTime)],
    ["executed", durationInWords(job.executionTime)],
    ["limit", durationInWords(job.executionTimeout)],
    ["attempt", job.attempt === 0 ? "" : String(job.attempt)],
    ["retries", job.retries === 0 ? "" : String(job.retries)],
    ["chunks", job.chunks === 0 ? "" : String(job.chunks)],
    ["worker", plain(job.workerId ?? "")],
    ["priority", job.lowPriority ? "low" : ""],
    ["webhook", plain(job.webhook ?? "")],
    ["trace", plain(job.traceparent ?? "")],
  ];
}

function failureFacts(failure: ShownFailure): Facts {
  return [
    ["type", plain(failure.type)],
    ["message", plain(failure.message)],
    ["worker", plain(failure.workerId ?? "")],
    ["exit code", String(failure.exitCode ?? "")],
    ["signal", plain(failure.signal ?? "")],
    ["memory", failure.outOfMemory === true ? "it ran out of memory" : ""],
  ];
}

/** Text below its title. */
export function block(paint: Paint, title: string, text: string): string {
  const lines = plain(text).split("\n");
  return `${paint("bold", title)}\n${lines.map((line) => `  ${line}\n`).join("")}`;
}

function outputTitle({ status }: ShownJob): string {
  return status === "IN_PROGRESS" ? "progress" : "output";
}

/** A payload, shortened. */
export function payloadText(value: unknown): string {
  const text = printableJson(JSON.stringify(value, undefined, 2));
  if (text.length <= PAYLOAD_CHARACTERS) return text;
  const rest = text.length - PAYLOAD_CHARACTERS;
  return `${text.slice(0, PAYLOAD_CHARACTERS)}\n… and ${rest} characters more; --json shows all`;
}
