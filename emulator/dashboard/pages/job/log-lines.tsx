/** What the handler wrote while it had the job. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Panel } from "../../components/panel.tsx";
import { open } from "../../service/call.ts";
import { type Frame, readFrames } from "../../service/frame-reader.ts";

interface Line {
  readonly time: string;
  readonly level: string;
  readonly msg: string;
}

interface LogLinesProps {
  readonly jobId: string;
  readonly endpointId: string;
}

/** The newest. */
const MOST_LINES = 500;

/** The service keeps no more. */
const TAIL = 2_000;

export function LogLines({ jobId, endpointId }: LogLinesProps): JSX.Element | null {
  const [lines, setLines] = useState<readonly Line[]>([]);
  useEffect(() => {
    const ended = new AbortController();
    setLines([]);
    const take = (frames: readonly Frame[]) => {
      const fresh = frames.flatMap(({ data }) => lineOf(data, jobId));
      if (fresh.length > 0) setLines((before) => [...before, ...fresh].slice(-MOST_LINES));
    };
    const query = new URLSearchParams({ endpointId, tail: String(TAIL) });
    open(`emulator/logs?${query}`, { signal: ended.signal })
      .then((response) => readFrames(response, take))
      .catch(() => undefined);
    return () => ended.abort();
  }, [jobId, endpointId]);
  if (lines.length === 0) return null;
  return (
    <Panel title="Log" actions={<span class="quiet">as far as the service still has it</span>}>
      <ol class="log-lines" tabIndex={0} aria-label="Lines">
        {lines.map(({ time, level, msg }, index) => (
          <li key={index} class={level}>
            <time class="quiet" dateTime={time}>
              {time.slice(11, 23)}
            </time>
            {level !== "info" && <b>{level}</b>} <span>{msg}</span>
          </li>
        ))}
      </ol>
    </Panel>
  );
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
