/** The state of a worker: a drawing and a word. */
import type { JSX } from "preact";
import { Badge } from "../../components/status.tsx";
import type { OperatedWorker } from "../../../../runtime/protocol/generated/answers.ts";
import { isBadEnd } from "./worker-labels.ts";

const SHOWN = {
  initializing: ["queued", "calm"],
  ready: ["done", "good"],
  draining: ["late", "quiet"],
  unhealthy: ["warning", "warn"],
  lost: ["failed", "bad"],
  ended: ["idle", "quiet"],
} as const;

export function WorkerState({ of }: { readonly of: OperatedWorker }): JSX.Element {
  const { state, frozen, jobs, waitsFor } = of;
  if (frozen && state !== "ended") return <Badge icon="pause" word="frozen" tone="warn" />;
  if (state === "ended" && isBadEnd(of)) return <Badge icon="failed" word="ended" tone="bad" />;
  if (state === "ready" && jobs.length > 0)
    return <Badge icon="running" word="working" tone="busy" />;
  if (waitsFor !== undefined)
    return (
      <span title={waitsFor}>
        <Badge icon="late" word="waiting" tone="warn" />
      </span>
    );
  const [icon, tone] = SHOWN[state];
  return <Badge icon={icon} word={state} tone={tone} />;
}
