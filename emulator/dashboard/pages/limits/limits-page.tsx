/** Requests over the rate limits of production, by endpoint and operation. */
import type { JSX } from "preact";
import { FilterTags } from "../../components/filter-tags.tsx";
import { EndpointLink, Moment } from "../../components/links.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, Records } from "../../components/records.tsx";
import { Answer, Empty, Page } from "../../components/states.tsx";
import { Badge } from "../../components/status.tsx";
import { plural } from "../../format/format.ts";
import type { PageProps } from "../../route/route.ts";
import type { LimitReport } from "../../../../runtime/protocol/generated/answers.ts";
import { useRead } from "../../service/use-read.ts";

/** Interval between reads of the report, ms. */
const READ_MS = 3_000;

type Exceeded = LimitReport["exceeded"][number];

export function LimitsPage({ route: { query } }: PageProps): JSX.Element {
  const report = useRead<"readLimits">("emulator/limits", { everyMs: READ_MS });
  const { endpoint = "" } = query;
  const shown = { endpoint: <EndpointLink id={endpoint} /> };
  return (
    <Page title="Limits" head={<FilterTags page="limits" query={query} shown={shown} />}>
      <Answer of={report} what="the report">
        {({ mode, exceeded }) => (
          <>
            <Report
              mode={mode}
              rows={exceeded.filter((row) => endpoint === "" || row.endpointId === endpoint)}
            />
            <Modes mode={mode} />
          </>
        )}
      </Answer>
    </Page>
  );
}

interface ReportProps {
  readonly mode: LimitReport["mode"];
  readonly rows: readonly Exceeded[];
}

const COLUMNS: readonly Column<Exceeded>[] = [
  { head: "Endpoint", cell: ({ endpointId }) => <EndpointLink id={endpointId} /> },
  { head: "Operation", kind: "mono", cell: ({ operation }) => operation },
  {
    head: "Over",
    kind: "number",
    label: "requests over",
    cell: ({ count }) => count.toLocaleString("en"),
  },
  {
    head: "Most in 10 s",
    kind: "whole",
    label: "in 10 s",
    cell: ({ requests }) => <Peak of={requests} />,
  },
  {
    head: "Most at once",
    kind: "whole",
    label: "at once",
    cell: ({ concurrent }) =>
      concurrent ? <Peak of={concurrent} /> : <span class="quiet">no limit</span>,
  },
  { head: "First", kind: "roomy", cell: ({ firstAt }) => <Moment at={firstAt} /> },
  { head: "Last", kind: "roomy", cell: ({ lastAt }) => <Moment at={lastAt} /> },
];

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
      <Records
        columns={COLUMNS}
        rows={rows}
        keyOf={({ endpointId, operation }) => `${endpointId} ${operation}`}
      />
      <p class="quiet">
        Since the start of the service. Each API key and endpoint has its own limit.
      </p>
    </Panel>
  );
}

/** The peak against the limit, with a word where it is over. */
function Peak({ of: { limit, peak } }: { readonly of: Exceeded["requests"] }): JSX.Element {
  return (
    <span class="peak">
      <meter
        aria-hidden="true"
        max={Math.max(peak, limit, 1)}
        high={limit}
        optimum={0}
        value={peak}
      />
      <span class="number">
        {peak.toLocaleString("en")} of {limit.toLocaleString("en")}
      </span>
      {peak > limit && <b class="status warn">over</b>}
    </span>
  );
}

const MODES = [
  ["enforce", "requests over a limit are refused with 429, as in production"],
  ["warn", "all requests pass; requests that production would refuse are counted and logged"],
  ["off", "no request is counted or refused"],
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
