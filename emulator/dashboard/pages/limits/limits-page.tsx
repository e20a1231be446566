/** Which requests production would have refused for its rate limits, by endpoint and operation. */
import type { JSX } from "preact";
import { FilterTags } from "../../components/filter-tags.tsx";
import { plural } from "../../format.ts";
import { EndpointLink } from "../../components/links.tsx";
import { Moment } from "../../components/moment.tsx";
import { Panel } from "../../components/panel.tsx";
import { Empty, Loading, Problem } from "../../components/states.tsx";
import { Badge } from "../../components/status.tsx";
import type { PageProps } from "../../route/route.ts";
import type { LimitReport } from "../../service/generated/answers.ts";
import { useRead } from "../../service/use-read.ts";

const READ_MS = 3_000;

type Exceeded = LimitReport["exceeded"][number];

export function LimitsPage({ route: { query } }: PageProps): JSX.Element {
  const { value, problem, again } = useRead<"readLimits">("emulator/limits", { everyMs: READ_MS });
  const { endpoint = "" } = query;
  const shown =
    value?.exceeded.filter((row) => endpoint === "" || row.endpointId === endpoint) ?? [];
  return (
    <div class="page">
      <div class="page-head">
        <h1>Limits</h1>
        <FilterTags
          page="limits"
          query={query}
          shown={{ endpoint: <EndpointLink id={endpoint} /> }}
        />
      </div>
      {problem !== undefined && <Problem text={problem} onRetry={again} />}
      {value === undefined && problem === undefined && <Loading what="the report" />}
      {value && <Report mode={value.mode} rows={shown} />}
      {value && <Modes mode={value.mode} />}
    </div>
  );
}

interface ReportProps {
  readonly mode: LimitReport["mode"];
  readonly rows: readonly Exceeded[];
}

function Report({ mode, rows }: ReportProps): JSX.Element {
  if (rows.length === 0) {
    return (
      <Panel title="Over a limit since the start">
        {mode === "off" ? (
          <Empty>Requests are not counted: the service was started with --limits off.</Empty>
        ) : (
          <div class="empty">
            <Badge
              icon="done"
              word="All requests were within the limits of production."
              tone="good"
            />
          </div>
        )}
      </Panel>
    );
  }
  const count = rows.reduce((sum, row) => sum + row.count, 0);
  const did =
    mode === "enforce" ? "were refused with 429" : "would have been refused in production";
  return (
    <Panel title={`${plural(count, "request")} ${did}`}>
      <div class="table-scroll">
        <table class="records">
          <thead>
            <tr>
              <th>Endpoint</th>
              <th>Operation</th>
              <th class="number">Over</th>
              <th>Most in 10 s</th>
              <th>Most at once</th>
              <th class="roomy">First</th>
              <th class="roomy">Last</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={`${row.endpointId} ${row.operation}`} row={row} />
            ))}
          </tbody>
        </table>
      </div>
      <p class="quiet">
        Since the start of the service. A limit counts for each API key and endpoint by itself.
      </p>
    </Panel>
  );
}

function Row({ row }: { readonly row: Exceeded }): JSX.Element {
  const { endpointId, operation, count, requests, concurrent, firstAt, lastAt } = row;
  return (
    <tr>
      <td>
        <EndpointLink id={endpointId} />
      </td>
      <td class="mono">{operation}</td>
      <td class="number" data-head="requests over">
        {count.toLocaleString("en")}
      </td>
      <td class="whole" data-head="in 10 s">
        <Peak of={requests} />
      </td>
      <td class="whole" data-head="at once">
        {concurrent ? <Peak of={concurrent} /> : <span class="quiet">no limit</span>}
      </td>
      <td class="roomy">
        <Moment at={firstAt} />
      </td>
      <td class="roomy">
        <Moment at={lastAt} />
      </td>
    </tr>
  );
}

/** Against the limit, with a word where it is over. */
function Peak({ of: { limit, peak } }: { readonly of: Exceeded["requests"] }): JSX.Element {
  const isOver = peak > limit;
  return (
    <span class="peak">
      <span class="peak-track" aria-hidden="true">
        <span
          class={isOver ? "over" : ""}
          style={{ width: `${(Math.min(peak, limit) / Math.max(peak, limit, 1)) * 100}%` }}
        />
      </span>
      <span class="number">
        {peak.toLocaleString("en")} of {limit.toLocaleString("en")}
      </span>
      {isOver && <b class="over-word">over</b>}
    </span>
  );
}

const MODES = [
  ["enforce", "what is over a limit is refused with 429, as in production"],
  [
    "warn",
    "everything is let through; what production would have refused is counted, and told in the log",
  ],
  ["off", "nothing is counted and nothing refused"],
] as const satisfies readonly (readonly [LimitReport["mode"], string])[];

function Modes({ mode }: Pick<ReportProps, "mode">): JSX.Element {
  return (
    <Panel title={`Started with --limits ${mode}`}>
      <dl class="modes">
        {MODES.map(([name, does]) => (
          <div key={name} {...(name === mode && { "aria-current": "true" })}>
            <dt class="mono">{name}</dt>
            <dd>
              {does}
              {name === mode && <b> (now)</b>}
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
