/** One endpoint: its numbers, its workers over time, the last hour, its settings. */
import type { JSX } from "preact";
import { CopyButton } from "../../components/button.tsx";
import { Facts } from "../../components/panel.tsx";
import { Badge } from "../../components/status.tsx";
import { Empty, Loading, Problem } from "../../components/states.tsx";
import { hrefTo, type Route, type PageProps } from "../../route/route.ts";
import type { EndpointOverview } from "../../service/generated/answers.ts";
import type { ServiceEvent } from "../../state/service-event.ts";
import { useRead } from "../../service/use-read.ts";
import { useServiceNow } from "../../service/use-service-now.ts";
import { usePart } from "../../state/store.ts";
import { Quantiles, WorkerCounts } from "../overview/endpoint-line.tsx";
import { concernsOf, FAILED, healthOf } from "./endpoint-health.ts";
import { ChartsPanel } from "./charts-panel.tsx";
import { DecisionsPanel } from "./decisions-panel.tsx";
import { LanesPanel } from "./lanes/lanes-panel.tsx";
import { jobsOf, limitsOf, workersOf } from "./links.ts";
import { PurgeButton } from "./purge-button.tsx";
import { SettingsPanel } from "./settings-panel.tsx";
import { useOverviews } from "./use-overviews.ts";

export function EndpointPage({ route }: PageProps): JSX.Element {
  const [id] = route.parts;
  const { value, problem, again } = useOverviews();
  if (value === undefined) {
    if (problem !== undefined) return <Problem text={problem} onRetry={again} />;
    return <Loading what="the endpoint" />;
  }
  const endpoint = value.endpoints.find((each) => each.id === id);
  if (endpoint === undefined) {
    return (
      <Empty>
        {id === undefined ? "No endpoint was named. " : `There is no endpoint “${id}” (any more). `}
        <a href={hrefTo("overview")}>All endpoints</a>
      </Empty>
    );
  }
  return (
    <div class="page endpoint-page">
      <Head endpoint={endpoint} />
      <Concerns endpoint={endpoint} />
      <Numbers endpoint={endpoint} />
      <Past key={endpoint.id} endpoint={endpoint} route={route} />
      <SettingsPanel key={endpoint.id} id={endpoint.id} />
    </div>
  );
}

interface OfEndpoint {
  readonly endpoint: EndpointOverview;
}

function Head({ endpoint }: OfEndpoint): JSX.Element {
  const { id, name, type, version, jobs } = endpoint;
  const isReadOnly = usePart((state) => state.session) === "read-only";
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
        <a class="button" href={jobsOf(id)}>
          Jobs
        </a>
        <a class="button" href={workersOf(id)}>
          Workers
        </a>
        <a class="button" href={hrefTo("playground", [id])}>
          Playground
        </a>
        <a class="button" href="docs" target="_blank" rel="noreferrer noopener">
          OpenAPI
        </a>
        {!isReadOnly && <PurgeButton id={id} waiting={jobs.inQueue} />}
      </div>
    </div>
  );
}

function Concerns({ endpoint }: OfEndpoint): JSX.Element | null {
  const concerns = concernsOf(endpoint);
  if (concerns.length === 0) return null;
  return (
    <ul class="concerns" aria-label="What needs a look">
      {concerns.map(({ tone, text, href }) => (
        <li key={text} class={tone}>
          <Badge
            icon={tone === "bad" ? "failed" : "warning"}
            word={tone === "bad" ? "trouble" : "limits"}
            tone={tone}
          />
          <a href={href}>{text}</a>
        </li>
      ))}
    </ul>
  );
}

function Numbers({ endpoint }: OfEndpoint): JSX.Element {
  const { id, jobs, newest, refusedInProduction } = endpoint;
  const link = (value: number, ...words: readonly string[]) => (
    <a class="figure" href={jobsOf(id, ...words)}>
      {value.toLocaleString("en")}
    </a>
  );
  const slow = (word: "waited" | "took") => (ms: number) =>
    jobsOf(id, `${word}:>${ms}ms`, "since:5m");
  return (
    <section class="panel numbers" aria-label="Now">
      <Facts
        facts={[
          ["Queued", link(jobs.inQueue, "status:queued")],
          ["Running", link(jobs.inProgress, "status:running")],
          ["Workers", <WorkerCounts endpoint={endpoint} />],
          [
            "Delay p50 / p95, 5 min",
            <Quantiles low={newest.delayP50} high={newest.delayP95} href={slow("waited")} />,
          ],
          [
            "Execution p50 / p95, 5 min",
            <Quantiles low={newest.executionP50} high={newest.executionP95} href={slow("took")} />,
          ],
          ["Completed, in all", link(jobs.completed, "status:completed")],
          ["Failed, in all", link(jobs.failed, FAILED)],
          ["Retried, in all", <span class="number">{jobs.retried.toLocaleString("en")}</span>],
          [
            "Refused in production",
            <a class="figure" href={limitsOf(id)}>
              {refusedInProduction.toLocaleString("en")}
            </a>,
          ],
        ]}
      />
    </section>
  );
}

const PACE_MS = 1_000;
const EVERY_MS = 10_000;

/** What happened in the last hour, in bars, sentences and charts. */
function Past({ endpoint: { id }, route }: OfEndpoint & { readonly route: Route }): JSX.Element {
  const concerns = (event: ServiceEvent) =>
    event.endpointId === id && event.type !== "webhook" && event.type !== "attempt";
  const named = encodeURIComponent(id);
  const of = `emulator/endpoints/${named}`;
  const live = { concerns, paceMs: PACE_MS, everyMs: EVERY_MS };
  const workers = useRead<"listWorkers">(`emulator/workers?endpointId=${named}&lines=0`, live);
  const decisions = useRead<"readDecisions">(`${of}/decisions?limit=100`, live);
  const series = useRead<"readSeries">(`${of}/series`, live);
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
