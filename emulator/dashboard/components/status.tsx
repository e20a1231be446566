/** States as an icon and a word, never a colour alone: of a job, of an attempt, of anything else. */
import type { JSX } from "preact";
import type { JobStatus } from "../../../runtime/protocol/job-status.ts";
import { Icon, type IconName } from "./icon.tsx";

export type Tone = "calm" | "busy" | "good" | "bad" | "warn" | "quiet";

const SHOWN: Readonly<Record<JobStatus, readonly [IconName, string, Tone]>> = {
  IN_QUEUE: ["queued", "queued", "calm"],
  IN_PROGRESS: ["running", "running", "busy"],
  COMPLETED: ["done", "completed", "good"],
  FAILED: ["failed", "failed", "bad"],
  TIMED_OUT: ["late", "timed out", "warn"],
  CANCELLED: ["cancelled", "cancelled", "quiet"],
};

export function Status({ of }: { readonly of: JobStatus }): JSX.Element {
  const [icon, word, tone] = SHOWN[of];
  return <Badge icon={icon} word={word} tone={tone} />;
}

export function statusWord(status: JobStatus): string {
  return SHOWN[status][1];
}

/** How an attempt at a job stands or ended; any other outcome is a failure. */
const OUTCOMES: Readonly<Partial<Record<string, readonly [IconName, Tone]>>> = {
  running: ["running", "busy"],
  completed: ["done", "good"],
  timed_out: ["late", "warn"],
  lost: ["warning", "warn"],
  handed_back: ["retry", "quiet"],
  undelivered: ["retry", "quiet"],
  interrupted: ["retry", "quiet"],
  cancelled: ["cancelled", "quiet"],
  expired: ["late", "quiet"],
};

export function outcomeBadge(outcome: string): BadgeProps {
  const [icon, tone] = OUTCOMES[outcome] ?? ["failed", "bad"];
  return { icon, tone, word: outcome.replaceAll("_", " ") };
}

interface BadgeProps {
  readonly icon: IconName;
  readonly word: string;
  readonly tone: Tone;
}

export function Badge({ icon, word, tone }: BadgeProps): JSX.Element {
  return (
    <span class={`status ${tone}`}>
      <Icon name={icon} />
      {word}
    </span>
  );
}
