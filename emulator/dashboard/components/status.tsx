/** The status of a job: a drawing and a word, never a colour alone. */
import type { JSX } from "preact";
import type { JobStatus } from "../../../runtime/protocol/job-status.ts";
import { Icon, type IconName } from "./icon.tsx";

type Tone = "calm" | "busy" | "good" | "bad" | "warn" | "quiet";

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

interface BadgeProps {
  readonly icon: IconName;
  readonly word: string;
  readonly tone: Tone;
}

/** The same for anything that has states. */
export function Badge({ icon, word, tone }: BadgeProps): JSX.Element {
  return (
    <span class={`status ${tone}`}>
      <Icon name={icon} />
      {word}
    </span>
  );
}
