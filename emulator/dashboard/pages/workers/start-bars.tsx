/** The stages of a worker's start, one below the other on one scale. */
import type { JSX } from "preact";
import { formatDuration } from "../../format.ts";
import type { OperatedWorker } from "../../service/generated/answers.ts";
import { useServiceNow } from "../../service/use-service-now.ts";
import { startStages } from "./worker-labels.ts";

export function StartBars({ worker }: { readonly worker: OperatedWorker }): JSX.Element {
  const now = useServiceNow() ?? 0;
  const stages = startStages(worker).map((stage) => ({
    ...stage,
    toMs: stage.toMs ?? Math.max(now, stage.fromMs),
    isOpen: stage.toMs === undefined,
  }));
  const from = stages[0]?.fromMs ?? 0;
  const whole = Math.max(1, (stages.at(-1)?.toMs ?? 0) - from);
  return (
    <ol class="start-bars">
      {stages.map(({ name, title, fromMs, toMs, isOpen }) => (
        <li key={name}>
          <span>{name}</span>
          <span class="stage-track" title={title}>
            <span
              class={`stage-bar ${name} ${isOpen ? "open" : ""}`}
              style={{
                left: `${((fromMs - from) / whole) * 100}%`,
                width: `${((toMs - fromMs) / whole) * 100}%`,
              }}
            />
          </span>
          <span class="number">{formatDuration(toMs - fromMs)}</span>
          <span class="quiet title">{title}</span>
        </li>
      ))}
    </ol>
  );
}
