/** What the lanes are drawn with, each beside its word. */
import type { JSX } from "preact";
import { STAGE_LABELS } from "./lane-labels.ts";
import type { Stage } from "./worker-stages.ts";

const SHOWN: readonly Stage[] = ["pull", "boot", "setup", "execution", "idle", "leave"];

export function Legend(): JSX.Element {
  return (
    <ul class="lane-legend quiet" aria-label="What the bars mean">
      <li>
        <Swatch class="bar wait" y={2} height={10} />
        waiting jobs
      </li>
      {SHOWN.map((stage) => (
        <li key={stage}>
          <Swatch class={`bar ${stage}`} {...barPlace(stage)} />
          {STAGE_LABELS[stage]}
        </li>
      ))}
      <li>
        <Swatch class="bar execution failed" y={-2} height={18} />
        with failures
      </li>
      <li>
        <svg class="swatch" viewBox="0 0 18 14" aria-hidden="true">
          <path class="misfortune" d="M5.5 3.5l7 7m0-7l-7 7" />
        </svg>
        worker failed
      </li>
    </ul>
  );
}

interface SwatchProps {
  readonly class: string;
  readonly y: number;
  readonly height: number;
}

function Swatch({ class: name, y, height }: SwatchProps): JSX.Element {
  return (
    <svg class="swatch" viewBox="0 0 18 14" aria-hidden="true">
      <rect class={name} x="0" y={y} width="18" height={height} rx="1" />
    </svg>
  );
}

/** Within a track, which is 14 px high. What is not work is drawn lower and failures higher, as colour must not be all that tells. */
export function barPlace(
  stage: Stage,
  isFailed = false,
): { readonly y: number; readonly height: number } {
  switch (stage) {
    case "execution":
      return isFailed ? { y: -3, height: 18 } : { y: 0, height: 13 };
    case "idle":
    case "leave":
    case "unknown":
      return { y: 6, height: 2 };
    default:
      return { y: 3, height: 8 };
  }
}
