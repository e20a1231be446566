/** The stages of a duration, one below the other on one scale. */
import type { JSX } from "preact";
import { formatDuration } from "../format/format.ts";

interface Stage {
  readonly name: string;
  readonly title: string;
  readonly fromMs: number;
  readonly toMs: number;
}

interface StageBarsProps {
  readonly stages: readonly Stage[];
  /** The tone of the last stage, if it differs from the tone of its name. */
  readonly tone?: string;
  /** Shows the titles as lines of their own, not as tooltips. */
  readonly hasTitles?: boolean;
}

export function StageBars({ stages, tone = "", hasTitles }: StageBarsProps): JSX.Element {
  const from = stages[0]?.fromMs ?? 0;
  const whole = Math.max(1, (stages.at(-1)?.toMs ?? 1) - from);
  const percent = (ms: number) => `${(ms / whole) * 100}%`;
  return (
    <ul class="stage-bars" aria-label="Stages">
      {stages.map(({ name, title, fromMs, toMs }) => (
        <li key={name} title={title}>
          <span class="quiet">{name}</span>
          <span class="stage-track">
            <span
              class={`stage-bar ${name} ${tone}`}
              style={{ marginLeft: percent(fromMs - from), width: percent(toMs - fromMs) }}
            />
          </span>
          <span class="number">{formatDuration(toMs - fromMs)}</span>
          {hasTitles === true && <span class="quiet title">{title}</span>}
        </li>
      ))}
    </ul>
  );
}
