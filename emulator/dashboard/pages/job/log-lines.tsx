/** What the handler wrote while it had the job. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { formatInstant } from "../../format.ts";
import { Panel } from "../../components/panel.tsx";
import { open } from "../../service/call.ts";
import { readFrames } from "../../service/frame-reader.ts";

interface Line {
  readonly time: string;
  readonly level: string;
  readonly msg: string;
}

interface LogLinesProps {
  readonly jobId: string;
  readonly endpointId: string;
  /** More may come. */
  readonly isOpen: boolean;
}

/** The newest. */
const MOST_LINES = 500;

/** The service keeps no more. */
const TAIL = 2_000;

/** They are asked for: one more stream for each page would be one connection less for others. */
const PACE_MS = 2_000;

export function LogLines({ jobId, endpointId, isOpen }: LogLinesProps): JSX.Element | null {
  const [lines, setLines] = useState<readonly Line[]>([]);
  useEffect(() => {
    const ended = new AbortController();
    const look = async () => {
      const read = await readLines(jobId, endpointId, ended.signal).catch(() => undefined);
      if (read !== undefined) setLines(read);
    };
    void look();
    // The last lines may come after the end.
    const timer = setInterval(() => {
      void look();
      if (!isOpen) clearInterval(timer);
    }, PACE_MS);
    return () => {
      clearInterval(timer);
      ended.abort();
    };
  }, [jobId, endpointId, isOpen]);
  if (lines.length === 0) return null;
  return (
    <Panel title="Log" actions={<span class="quiet">as far as the service still has it</span>}>
      <ol class="log-lines" tabIndex={0} aria-label="Lines">
        {lines.map(({ time, level, msg }, index) => (
          <li key={index} class={level}>
            <time class="quiet" dateTime={time}>
              {formatInstant(time)}.{time.slice(20, 23)}
            </time>
            {level !== "info" && <b>{level}</b>} <span>{msg}</span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

async function readLines(
  jobId: string,
  endpointId: string,
  signal: AbortSignal,
): Promise<readonly Line[]> {
  const query = new URLSearchParams({ endpointId, tail: String(TAIL), ended: "true" });
  const lines: Line[] = [];
  await readFrames(await open(`emulator/logs?${query}`, { signal }), (frames) => {
    lines.push(...frames.flatMap(({ data }) => lineOf(data, jobId)));
  });
  return lines.slice(-MOST_LINES);
}

function lineOf(data: string, jobId: string): readonly Line[] {
  try {
    const line = JSON.parse(data) as Partial<Line> & { readonly jobId?: string };
    if (line.jobId !== jobId) return [];
    return [{ time: line.time ?? "", level: line.level ?? "info", msg: line.msg ?? "" }];
  } catch {
    return [];
  }
}
