/** The memory of a worker over time: in a row of a list, and with its scale. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { formatDuration, formatSize } from "../../format.ts";
import type { OperatedWorker } from "../../service/generated/answers.ts";
import { lineOf, roundAbove } from "./sparkline.ts";

type Memory = NonNullable<OperatedWorker["memory"]>;

const SMALL = { width: 72, height: 18 };

/** The newest samples in a row of a list. */
const SMALL_SAMPLES = 60;

export function MemoryLine({ memory }: { readonly memory: Memory | undefined }): JSX.Element {
  if (memory === undefined) return <span class="quiet">–</span>;
  const bytes = memory.bytes.slice(-SMALL_SAMPLES);
  const { line, area } = lineOf(bytes, Math.max(...bytes), SMALL);
  return (
    <span class="memory-line">
      <svg class="memory-svg" viewBox={`0 0 ${SMALL.width} ${SMALL.height}`} aria-hidden="true">
        <path class="area" d={area} />
        <path class="line" d={line} />
      </svg>
      <span class="number">{formatSize(bytes.at(-1) ?? 0)}</span>
    </span>
  );
}

const LARGE = { width: 600, height: 110 };

/** With the size at the pointer, or the newest. */
export function MemoryChart({ memory }: { readonly memory: Memory }): JSX.Element {
  const { bytes, stepMs, endsAt } = memory;
  const [at, setAt] = useState<number | undefined>(undefined);
  const peak = Math.max(...bytes);
  const most = roundAbove(peak);
  const { line, area } = lineOf(bytes, most, LARGE);
  const last = bytes.length - 1;
  const index = Math.min(at ?? last, last);
  const point = (event: PointerEvent & { readonly currentTarget: Element }) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    setAt(Math.round(((event.clientX - left) / width) * last));
  };
  const shownAt = new Date(Date.parse(endsAt) - (last - index) * stepMs);
  const x = last === 0 ? 0 : (index / last) * LARGE.width;
  return (
    <figure class="memory-chart">
      <figcaption class="row">
        <b class="number">{formatSize(bytes[index] ?? 0)}</b>
        <span class="quiet number">
          at {shownAt.toLocaleTimeString(undefined, { hour12: false })}
        </span>
        <span class="spring" />
        <span class="quiet">most {formatSize(peak)}</span>
      </figcaption>
      <div class="memory-box">
        <svg
          class="memory-svg"
          viewBox={`0 0 ${LARGE.width} ${LARGE.height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`Memory over ${formatDuration(last * stepMs)}: now ${formatSize(bytes[last] ?? 0)}, at most ${formatSize(peak)}`}
          onPointerMove={point}
          onPointerLeave={() => setAt(undefined)}
        >
          <path class="area" d={area} />
          <path class="line" d={line} />
          {at !== undefined && <path class="at" d={`M${x} 0V${LARGE.height}`} />}
        </svg>
        <span class="scale top quiet number">{formatSize(most)}</span>
        <span class="scale bottom quiet number">0</span>
      </div>
      <div class="row quiet number">
        <span>{last === 0 ? "the first sample" : `${formatDuration(last * stepMs)} before`}</span>
        <span class="spring" />
        {last > 0 && <span>newest</span>}
      </div>
    </figure>
  );
}
