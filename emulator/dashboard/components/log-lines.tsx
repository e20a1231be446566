/** Lines of a log. */
import type { JSX, RefObject } from "preact";
import { formatTime } from "../format/format.ts";
import { hrefTo } from "../route/route.ts";

interface LogLine {
  readonly at: string;
  readonly level: string;
  readonly message: string;
  readonly jobId?: string;
}

interface LogLinesProps {
  readonly lines: readonly LogLine[];
  readonly list?: RefObject<HTMLOListElement | null>;
  readonly onScroll?: (event: { readonly currentTarget: Element }) => void;
}

export function LogLines({ lines, list, ...more }: LogLinesProps): JSX.Element {
  return (
    <ol ref={list ?? null} class="log-lines sunken" tabIndex={0} aria-label="Lines" {...more}>
      {lines.map(({ at, level, message, jobId }, index) => (
        <li key={index} class={level}>
          <time class="quiet" dateTime={at} title={at}>
            {formatTime(Date.parse(at))}.{at.slice(20, 23)}
          </time>{" "}
          {level !== "info" && <b>{level} </b>}
          <span>{message}</span>
          {jobId !== undefined && (
            <>
              {" "}
              <a href={hrefTo("job", [jobId])} title={jobId}>
                job
              </a>
            </>
          )}
        </li>
      ))}
    </ol>
  );
}
