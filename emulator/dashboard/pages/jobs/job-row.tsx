/** One job in the list. */
import type { JSX } from "preact";
import { formatDuration, formatInstant, shortId } from "../../format.ts";
import { Status } from "../../components/status.tsx";
import { hrefTo } from "../../route/route.ts";
import type { JobList } from "../../state/job-list.ts";
import { dispatch } from "../../state/store.ts";

/** Rows have two lines on a narrow page, as in the styles. */
export function rowHeight(): number {
  return window.matchMedia("(max-width: 760px)").matches ? 52 : 32;
}

interface JobRowProps {
  readonly list: JobList;
  readonly index: number;
}

export function JobRowLine({ list, index }: JobRowProps): JSX.Element {
  const row = list.rows[index];
  if (row === undefined) return <span />;
  const { id, status, endpointId, submittedAt, delayTime, executionTime, error, errorType } = row;
  const isOn = list.isAllSelected || list.selected.has(id);
  return (
    <div class={`job-line ${index === list.cursor ? "current" : ""} ${isOn ? "selected" : ""}`}>
      <label class="tick">
        <input
          type="checkbox"
          checked={isOn}
          aria-label={`Select job ${shortId(id)}`}
          onChange={() => dispatch({ type: "jobs-selected", ids: [id], isOn: !isOn })}
        />
      </label>
      <Status of={status} />
      <a class="mono" href={hrefTo("job", [id])} title={id}>
        {shortId(id)}
      </a>
      <span class="cut endpoint" title={endpointId}>
        {endpointId}
      </span>
      <time class="number quiet" dateTime={submittedAt} title={submittedAt}>
        {formatInstant(submittedAt)}
      </time>
      <span class="number quiet waited">{formatDuration(delayTime)}</span>
      <span class="number took">{formatDuration(executionTime)}</span>
      {(error ?? errorType) !== undefined && (
        <span class="cut quiet error" title={error}>
          {errorType !== undefined && <b>{errorType}</b>} {error}
        </span>
      )}
    </div>
  );
}
