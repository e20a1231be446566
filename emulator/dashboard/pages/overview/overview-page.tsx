/** The start page: whether something is wrong, and a line for each endpoint. */
import type { JSX } from "preact";
import { Badge } from "../../components/status.tsx";
import { plural } from "../../format.ts";
import { EndpointLink } from "../../components/links.tsx";
import { Empty, Loading, Problem } from "../../components/states.tsx";
import { replaceRoute } from "../../route/address.ts";
import { hrefTo, type PageProps } from "../../route/route.ts";
import type { EndpointOverview } from "../../service/generated/answers.ts";
import { useOverviews } from "../endpoint/use-overviews.ts";
import { EndpointLine, LineHead } from "./endpoint-line.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { replicasNeedLook } from "../replicas/replica-health.ts";
import { useReplicas } from "../replicas/use-replicas.ts";
import { concernsOf, summaryOf } from "../endpoint/endpoint-health.ts";

/** With so many endpoints one wants to search. */
const MANY = 9;
/** More concerns are behind a link. */
const SHOWN_CONCERNS = 4;

export function OverviewPage({ route }: PageProps): JSX.Element {
  const { value, problem, again } = useOverviews();
  if (value === undefined) {
    if (problem !== undefined) return <Problem text={problem} onRetry={again} />;
    return <Loading what="the endpoints" />;
  }
  const { endpoints } = value;
  const { find = "", only = "" } = route.query;
  return (
    <div class="page overview-page">
      <div class="page-head">
        <h1>Overview</h1>
        {endpoints.length > 0 && <Summary endpoints={endpoints} />}
        <span class="spring" />
        {endpoints.length >= MANY && (
          <input
            type="search"
            aria-label="Find an endpoint"
            placeholder="Find an endpoint"
            value={find}
            onInput={({ currentTarget }) =>
              replaceRoute("overview", [], { find: currentTarget.value, only })
            }
          />
        )}
      </div>
      {problem !== undefined && <Problem text={problem} onRetry={again} />}
      {endpoints.length === 0 ? (
        <FirstSteps />
      ) : (
        <>
          <Concerns endpoints={endpoints} isOnly={only !== ""} />
          <Lines endpoints={chosen(endpoints, find, only !== "")} />
        </>
      )}
    </div>
  );
}

interface EndpointsProps {
  readonly endpoints: readonly EndpointOverview[];
}

function Summary({ endpoints }: EndpointsProps): JSX.Element {
  const sum = (of: (endpoint: EndpointOverview) => number) =>
    endpoints.reduce((all, endpoint) => all + of(endpoint), 0);
  const queued = sum(({ jobs }) => jobs.inQueue);
  const running = sum(({ jobs }) => jobs.inProgress);
  const workers = sum((endpoint) => sumOf(endpoint.workers));
  return (
    <div class="overview-summary row" role="status">
      <Badge {...summaryOf(endpoints)} />
      <span class="quiet number">
        <a href={hrefTo("jobs", [], { q: "status:queued" })}>
          {queued.toLocaleString("en")} queued
        </a>
        {" · "}
        <a href={hrefTo("jobs", [], { q: "status:running" })}>
          {running.toLocaleString("en")} running
        </a>
        {" · "}
        <a href={hrefTo("workers")}>{plural(workers, "worker")}</a>
        <ReplicasLink />
      </span>
    </div>
  );
}

/** Where there are several. */
function ReplicasLink(): JSX.Element | null {
  const { value } = useReplicas();
  if (value === undefined || value.replicas.length + value.unowned.length < 2) return null;
  return (
    <>
      {" · "}
      <a class={replicasNeedLook(value) ? "figure bad" : ""} href={hrefTo("replicas")}>
        {plural(value.replicas.length, "replica")}
        {replicasNeedLook(value) && ", not all well"}
      </a>
    </>
  );
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((all, count) => all + count, 0);
}

interface ConcernsProps extends EndpointsProps {
  /** Whether the lines below are only those of endpoints with a concern. */
  readonly isOnly: boolean;
}

function Concerns({ endpoints, isOnly }: ConcernsProps): JSX.Element | null {
  const all = endpoints
    .flatMap((endpoint) => concernsOf(endpoint).map((concern) => ({ endpoint, ...concern })))
    .toSorted((one, other) => Number(other.tone === "bad") - Number(one.tone === "bad"));
  if (all.length === 0) return isOnly ? <ShowAll /> : null;
  const left = all.length - SHOWN_CONCERNS;
  return (
    <ul class="concerns" aria-label="What needs a look">
      {all.slice(0, SHOWN_CONCERNS).map(({ endpoint, tone, text, href }) => (
        <li key={`${endpoint.id} ${text}`} class={tone}>
          <Badge
            icon={tone === "bad" ? "failed" : "warning"}
            word={tone === "bad" ? "trouble" : "limits"}
            tone={tone}
          />
          <EndpointLink id={endpoint.id} />
          <a class="concern-text" href={href}>
            {text}
          </a>
        </li>
      ))}
      {isOnly ? (
        <li>
          <ShowAll />
        </li>
      ) : (
        left > 0 && (
          <li>
            <a href={hrefTo("overview", [], { only: "trouble" })}>and {left} more</a>
          </li>
        )
      )}
    </ul>
  );
}

function ShowAll(): JSX.Element {
  return <a href={hrefTo("overview")}>show all endpoints</a>;
}

function Lines({ endpoints }: EndpointsProps): JSX.Element {
  if (endpoints.length === 0) return <Empty>No endpoint matches.</Empty>;
  return (
    <div class="overview-lines">
      <LineHead />
      <ul aria-label={plural(endpoints.length, "endpoint")}>
        {endpoints.map((endpoint) => (
          <EndpointLine key={endpoint.id} endpoint={endpoint} />
        ))}
      </ul>
    </div>
  );
}

function chosen(
  endpoints: readonly EndpointOverview[],
  find: string,
  isOnlyTrouble: boolean,
): readonly EndpointOverview[] {
  const wanted = find.trim().toLowerCase();
  return endpoints.filter(
    (endpoint) =>
      `${endpoint.id} ${endpoint.name}`.toLowerCase().includes(wanted) &&
      (!isOnlyTrouble || concernsOf(endpoint).length > 0),
  );
}
