/** The lines that the handler logged during the job. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { LogLines } from "../../components/log-lines.tsx";
import { Panel } from "../../components/panel.tsx";
import { open } from "../../service/call.ts";
import { readFrames } from "../../service/stream.ts";

interface Line {
  readonly at: string;
  readonly level: string;
  readonly message: string;
}

interface JobLogProps {
  readonly jobId: string;
  readonly endpointId: string;
  /** Whether more lines may come. */
  readonly isOpen: boolean;
}

/** Maximum lines shown: the newest. */
const MOST_LINES = 500;

/** Maximum lines that the service keeps of an endpoint. */
const TAIL = 2_000;

/** Interval between reads, ms. A stream would take one of the browser's six connections. */
const READ_MS = 2_000;

export function JobLog({ jobId, endpointId, isOpen }: JobLogProps): JSX.Element | null {
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
    }, READ_MS);
    return () => {
      clearInterval(timer);
      ended.abort();
    };
  }, [jobId, endpointId, isOpen]);
  if (lines.length === 0) return null;
  return (
    <Panel title="Log" actions={<span class="quiet">log lines still in memory</span>}>
      <LogLines lines={lines} />
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

function lineOf(data: string, ofJob: string): readonly Line[] {
  try {
    const { jobId, time, level, msg } = JSON.parse(data) as Readonly<Record<string, string>>;
    if (jobId !== ofJob) return [];
    return [{ at: time ?? "", level: level ?? "info", message: msg ?? "" }];
  } catch {
    return [];
  }
}
