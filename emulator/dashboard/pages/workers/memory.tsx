/** The memory of a worker over time: in a row of a list, and as a chart. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Chart } from "../../components/chart.tsx";
import type { ChartModel } from "../../components/chart-model.ts";
import { areaOf, lineOf, mostOf, straight } from "../../components/chart-path.ts";
import { formatSize } from "../../format/format.ts";
import type { OperatedWorker } from "../../../../runtime/protocol/generated/answers.ts";

type Memory = NonNullable<OperatedWorker["memory"]>;

const SIZE = { width: 72, height: 18 };

/** Number of samples in a row: the newest. */
const ROW_SAMPLES = 60;

export function MemoryLine({ memory }: { readonly memory: Memory | undefined }): JSX.Element {
  if (memory === undefined) return <span class="quiet">–</span>;
  const bytes = memory.bytes.slice(-ROW_SAMPLES);
  const most = Math.max(1, mostOf(bytes));
  const runs = straight(
    bytes,
    (index) => (index / Math.max(1, bytes.length - 1)) * SIZE.width,
    (value) => SIZE.height - (value / most) * SIZE.height,
  );
  return (
    <span class="memory-line">
      <svg class="series accent" {...SIZE} aria-hidden="true">
        <path class="series-area" d={areaOf(runs, SIZE.height)} />
        <path class="series-line" d={lineOf(runs)} />
      </svg>
      <span class="number">{formatSize(bytes.at(-1) ?? 0)}</span>
    </span>
  );
}

export function MemoryChart({ memory }: { readonly memory: Memory }): JSX.Element {
  const [at, setAt] = useState<number | undefined>(undefined);
  const { bytes, stepMs, endsAt } = memory;
  const to = Date.parse(endsAt);
  const chart: ChartModel = {
    ...{ title: "All its processes", unit: "bytes", shape: "line", stepMs },
    window: { from: to - Math.max(1, bytes.length - 1) * stepMs, to },
    lines: [{ name: "used", tone: "accent", values: bytes, isArea: true }],
  };
  return <Chart chart={chart} height={170} at={at} onPoint={setAt} />;
}
