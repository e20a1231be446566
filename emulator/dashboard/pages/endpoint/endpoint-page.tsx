/** One endpoint: its numbers, its workers over time, the last hour, its settings. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Button, CopyButton } from "../../components/button.tsx";
import { Chart } from "../../components/chart.tsx";
import { Confirm } from "../../components/dialog.tsx";
import { Facts, Panel } from "../../components/panel.tsx";
import { Answer, Empty, Loading } from "../../components/states.tsx";
import { Badge } from "../../components/status.tsx";
import { formatInstant, plural } from "../../format/format.ts";
import { hrefTo, type PageProps, type Route } from "../../route/route.ts";
import { call } from "../../service/call.ts";
import type {
  EndpointOverview,
  EndpointSeries,
  ScalerDecisions,
} from "../../../../runtime/protocol/generated/answers.ts";
import { useRead } from "../../service/use-read.ts";
import { useServiceNow } from "../../service/use-service-now.ts";
import type { ServiceEvent } from "../../state/service-event.ts";
import { attempt, useReadOnly } from "../../state/store.ts";
import { chartsOf } from "./chart-data.ts";
import { concernsOf, FAILED, healthOf, jobsOf, workersOf } from "./endpoint-health.ts";
import { Concerns, Figure, figuresOf, useOverviews } from "./figures.tsx";
import { decisionLabel, directionOf } from "./lanes/lane-labels.ts";
import { LanesPanel } from "./lanes/lanes-panel.tsx";
import { SettingsPanel } from "./settings-panel.tsx";

export function EndpointPage({ route }: PageProps): JSX.Element {
  const [id] = route.parts;
  return (
    <Answer of={useOverviews()} what="the endpoint">
      {({ endpoints }) => {
        const endpoint = endpoints.find((each) => each.id === id);
        return endpoint === undefined ? (
          <Empty>
            {id === undefined
              ? "The address names no endpoint. "
              : `There is no endpoint “${id}” (any more). `}
            <a href={hrefTo("overview")}>All endpoints</a>
          </Empty>
        ) : (
          <EndpointView key={id} endpoint={endpoint} route={route} />
        );
      }}
    </Answer>
  );
}

interface OfEndpoint {
  readonly endpoint: EndpointOverview;
}

function EndpointView({ endpoint, route }: OfEndpoint & { readonly route: Route }): JSX.Element {
  const concerns = concernsOf(endpoint);
  return (
    <div class="page endpoint-page">
      <Head endpoint={endpoint} />
      {concerns.length > 0 && <Concerns concerns={concerns} />}
      <Numbers endpoint={endpoint} />
      <Past endpoint={endpoint} route={route} />
      <SettingsPanel id={endpoint.id} />
    </div>
  );
}

function Head({ endpoint }: OfEndpoint): JSX.Element {
  const { id, name, type, version, jobs } = endpoint;
  const isReadOnly = useReadOnly();
  const links = [
    ["Jobs", jobsOf(id)],
    ["Workers", workersOf(id)],
    ["Playground", hrefTo("playground", [id])],
  ] as const;
  return (
    <div class="page-head">
      <span class="row">
        <h1>{name}</h1>
        {name !== id && <span class="mono quiet">{id}</span>}
        <CopyButton text={() => id} what="the id" />
      </span>
      <Badge {...healthOf(endpoint)} />
      <span class="quiet">
        {type === "QUEUE" ? "queue" : "HTTP servers"}, version {version}
      </span>
      <span class="spring" />
      <div class="actions">
        {links.map(([title, href]) => (
          <a key={title} class="button" href={href}>
            {title}
          </a>
        ))}
        <a class="button" href="docs" target="_blank" rel="noreferrer noopener">
          OpenAPI
        </a>
        {!isReadOnly && <PurgeButton id={id} waiting={jobs.inQueue} />}
      </div>
    </div>
  );
}

interface PurgeProps {
  readonly id: string;
  readonly waiting: number;
}

function PurgeButton({ id, waiting }: PurgeProps): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  const purge = () =>
    attempt(async () => {
      const path = `v2/${encodeURIComponent(id)}/purge-queue`;
      const { removed } = await call<"purgeQueue">(path, { method: "POST" });
      return `removed ${plural(removed, "waiting job")}`;
    });
  return (
    <>
      <Button kind="danger" isDisabled={waiting === 0} onPress={() => setAsking(true)}>
        Purge queue …
      </Button>
      {isAsking && (
        <Confirm
          title={`Purge the queue of ${id}?`}
          sentences={[
            `${plural(waiting, "waiting job")} ${waiting === 1 ? "is" : "are"} removed for good.`,
            "Running jobs continue.",
          ]}
          word={`Remove ${plural(waiting, "waiting job")}`}
          onClose={() => setAsking(false)}
          onConfirm={purge}
        />
      )}
    </>
  );
}

function Numbers({ endpoint }: OfEndpoint): JSX.Element {
  const { id, jobs } = endpoint;
  const figures = figuresOf(endpoint);
  return (
    <section class="panel numbers" aria-label="Now">
      <Facts
        facts={[
          ["Queued", figures.queued],
          ["Running", figures.running],
          ["Workers", figures.workers],
          ["Delay p50 / p95, 5 min", figures.delay],
          ["Execution p50 / p95, 5 min", figures.execution],
          [
            "Completed, in all",
            <Figure value={jobs.completed} href={jobsOf(id, "status:completed")} />,
          ],
          ["Failed, in all", <Figure value={jobs.failed} href={jobsOf(id, FAILED)} />],
          ["Retried, in all", <span class="number">{jobs.retried.toLocaleString("en")}</span>],
          ["Refused in production", figures.refused],
        ]}
      />
    </section>
  );
}

/** Minimum interval between reads after events, and interval of reads without events, ms. */
const PACE_MS = 1_000;
const READ_MS = 10_000;

function Past({ endpoint: { id }, route }: OfEndpoint & { readonly route: Route }): JSX.Element {
  const concerns = (event: ServiceEvent) =>
    event.endpointId === id && event.type !== "webhook" && event.type !== "attempt";
  const named = encodeURIComponent(id);
  const path = `emulator/endpoints/${named}`;
  const live = { concerns, paceMs: PACE_MS, everyMs: READ_MS };
  const workers = useRead<"listWorkers">(`emulator/workers?endpointId=${named}&lines=0`, live);
  const decisions = useRead<"readDecisions">(`${path}/decisions?limit=100`, live);
  const series = useRead<"readSeries">(`${path}/series`, live);
  const now = useServiceNow();
  if (now === undefined) return <Loading what="the last hour" />;
  const decided = decisions.value?.decisions ?? [];
  return (
    <>
      <LanesPanel
        route={route}
        now={now}
        workers={workers}
        decisions={decided}
        series={series.value}
      />
      <DecisionsPanel decisions={decided} />
      {series.value !== undefined && <ChartsPanel series={series.value} />}
    </>
  );
}

function ChartsPanel({ series }: { readonly series: EndpointSeries }): JSX.Element {
  const charts = useMemo(() => chartsOf(series), [series]);
  const [at, setAt] = useState<number | undefined>(undefined);
  return (
    <Panel title="The last hour">
      <div class="charts">
        {charts.map((chart) => (
          <Chart key={chart.title} chart={chart} at={at} onPoint={setAt} />
        ))}
      </div>
    </Panel>
  );
}

type Decisions = ScalerDecisions["decisions"];

/** Number of decisions shown at first. */
const FEW = 6;

const DIRECTIONS = {
  up: { icon: "plus", tone: "good" },
  down: { icon: "idle", tone: "calm" },
  held: { icon: "pause", tone: "warn" },
} as const;

function DecisionsPanel({ decisions }: { readonly decisions: Decisions }): JSX.Element {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? decisions : decisions.slice(0, FEW);
  return (
    <Panel title="Decisions of the scaler">
      {decisions.length === 0 && <Empty>No decision yet.</Empty>}
      {decisions.length > 0 && (
        <ul class="decisions stack">
          {shown.map((decision, index) => (
            <li key={`${decision.at} ${index}`}>
              <time class="quiet number" dateTime={decision.at}>
                {formatInstant(decision.at)}
              </time>
              <Badge {...DIRECTIONS[directionOf([decision])]} word={decisionLabel(decision)} />
              <span>{decision.reason}</span>
            </li>
          ))}
        </ul>
      )}
      {decisions.length > FEW && (
        <button type="button" class="inline-button" onClick={() => setAll(!isAll)}>
          {isAll ? "show fewer" : `show all ${decisions.length}`}
        </button>
      )}
    </Panel>
  );
}
