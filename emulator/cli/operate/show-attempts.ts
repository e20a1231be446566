/** The attempts at a job for a person to read: a line for each, and why it ended where it did not end well. */
import type { AttemptOutcome } from "../../core/jobs/attempt.ts";
import type { ShownAttempt, ShownJob } from "./answers.ts";
import { tableText } from "./table.ts";
import { durationInWords } from "../../core/time/duration.ts";
import { firstLine, instantInWords, type Paint, plain } from "./terminal.ts";

const OUTCOME_STYLES: Readonly<Partial<Record<AttemptOutcome, Parameters<Paint>[0]>>> = {
  running: "cyan",
  completed: "green",
  failed: "red",
  crashed: "red",
  out_of_memory: "red",
  timed_out: "red",
  lost: "red",
  damaged: "red",
};

/** Undefined where there is nothing to tell that the job does not tell itself. */
export function attemptsText(job: ShownJob, paint: Paint): string | undefined {
  const { attempts, attemptsLeftOut = 0 } = job;
  const isFirst = attempts.length === 1 && attempts[0]?.readyAt === undefined;
  if (attempts.length === 0 || isFirst) return undefined;
  const head = [
    "attempt",
    "outcome",
    "version",
    "worker",
    "started",
    "waited",
    "for",
    "ran",
    "why",
  ];
  const text = tableText(
    head,
    attempts.map((attempt) => [
      String(attempt.number),
      outcomeCell(attempt, paint),
      attempt.version === undefined ? "" : String(attempt.version),
      plain(attempt.workerId ?? ""),
      instantInWords(attempt.startedAt),
      between(attempt.queuedAt, attempt.startedAt),
      stagesInWords(attempt),
      between(attempt.startedAt, attempt.endedAt),
      firstLine(attempt.failure?.message ?? ""),
    ]),
  );
  const rest = attemptsLeftOut === 0 ? "" : `  … and ${attemptsLeftOut} attempts after the first\n`;
  return `${paint("bold", "attempts")}\n${text.replaceAll(/^(?=.)/gm, "  ")}${rest}`;
}

/** The stages of the worker's start, as far as they are known: `pull and start 12.0 s, boot 1.2 s, load and setup 3.0 s`. */
function stagesInWords(attempt: ShownAttempt): string {
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

function outcomeCell({ outcome }: ShownAttempt, paint: Paint): string {
  const style = OUTCOME_STYLES[outcome];
  const words = outcome.replaceAll("_", " ");
  return style === undefined ? words : paint(style, words);
}

function between(from: string, to: string | undefined): string {
  return to === undefined ? "" : durationInWords(Date.parse(to) - Date.parse(from));
}
