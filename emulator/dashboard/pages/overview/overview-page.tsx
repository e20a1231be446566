/** The start page: whether something is wrong, and a line for each endpoint. */
import type { JSX } from "preact";
import { CopyButton } from "../../components/button.tsx";
import { Answer, Empty, Page } from "../../components/states.tsx";
import { Badge } from "../../components/status.tsx";
import { plural } from "../../format/format.ts";
import { replaceRoute } from "../../route/address.ts";
import { hrefTo, type PageProps } from "../../route/route.ts";
import type { EndpointOverview } from "../../../../runtime/protocol/generated/answers.ts";
import { concernsOf, summaryOf } from "../endpoint/endpoint-health.ts";
import { Concerns, useOverviews } from "../endpoint/figures.tsx";
import { replicasNeedLook } from "../replicas/replica-health.ts";
import { useReplicas } from "../replicas/replicas-page.tsx";
import { EndpointLine, LineHead } from "./endpoint-line.tsx";

/** Minimum number of endpoints for a search field. */
const MANY = 9;
/** Maximum concerns shown; the others are behind a link. */
const SHOWN_CONCERNS = 4;

export function OverviewPage({ route: { query } }: PageProps): JSX.Element {
  const read = useOverviews();
  const { endpoints = [] } = read.value ?? {};
  const { find = "", only = "" } = query;
  const head = (
    <>
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
    </>
  );
  return (
    <Page title="Overview" head={head}>
      <Answer of={read} what="the endpoints">
        {() =>
          endpoints.length === 0 ? (
            <FirstSteps />
          ) : (
            <>
              <AllConcerns endpoints={endpoints} isOnly={only !== ""} />
              <Lines endpoints={chosen(endpoints, find, only !== "")} />
            </>
          )
        }
      </Answer>
    </Page>
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
  const workers = sum((endpoint) => Object.values(endpoint.workers).reduce((a, b) => a + b, 0));
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

function ReplicasLink(): JSX.Element | null {
  const { value } = useReplicas();
  if (value === undefined || value.replicas.length + value.unowned.length < 2) return null;
  const isBad = replicasNeedLook(value);
  return (
    <>
      {" · "}
      <a class={isBad ? "figure bad" : ""} href={hrefTo("replicas")}>
        {plural(value.replicas.length, "replica")}
        {isBad && ", not all well"}
      </a>
    </>
  );
}

interface ConcernsProps extends EndpointsProps {
  /** Whether the lines below are only those of endpoints with a concern. */
  readonly isOnly: boolean;
}

function AllConcerns({ endpoints, isOnly }: ConcernsProps): JSX.Element | null {
  const all = endpoints
    .flatMap((endpoint) =>
      concernsOf(endpoint).map((concern) => ({ endpointId: endpoint.id, ...concern })),
    )
    .toSorted((one, other) => Number(other.tone === "bad") - Number(one.tone === "bad"));
  const showAll = <a href={hrefTo("overview")}>show all endpoints</a>;
  if (all.length === 0) return isOnly ? showAll : null;
  const left = all.length - SHOWN_CONCERNS;
  const more = <a href={hrefTo("overview", [], { only: "trouble" })}>and {left} more</a>;
  return (
    <Concerns concerns={all.slice(0, SHOWN_CONCERNS)}>
      {(isOnly || left > 0) && <li>{isOnly ? showAll : more}</li>}
    </Concerns>
  );
}

function Lines({ endpoints }: EndpointsProps): JSX.Element {
  if (endpoints.length === 0) return <Empty>No endpoint matches.</Empty>;
  return (
    <div class="overview-lines boxed">
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

const HANDLER = `// greet/handler.js
export default async function greet(job) {
  return { greeting: \`Hello, \${job.input.name}!\` };
}
`;

const COMMAND = "npx sv-runtime greet";

function FirstSteps(): JSX.Element {
  return (
    <section class="panel first-steps" aria-label="First steps">
      <h2>No endpoint is served yet</h2>
      <ol>
        <li>
          <p>Write a handler:</p>
          <Copyable text={HANDLER} what="the handler" />
        </li>
        <li>
          <p>
            Stop this service, and start it with the folder, which becomes the endpoint{" "}
            <code>greet</code>:
          </p>
          <Copyable text={COMMAND} what="the command" />
        </li>
      </ol>
      <p class="quiet">
        The management interface makes endpoints while the service runs:{" "}
        <a href="docs" target="_blank" rel="noreferrer noopener">
          API reference
        </a>
        .
      </p>
    </section>
  );
}

function Copyable({ text, what }: { readonly text: string; readonly what: string }): JSX.Element {
  return (
    <div class="copyable">
      <pre class="sunken" tabIndex={0}>
        {text.trimEnd()}
      </pre>
      <CopyButton text={() => text} what={what} />
    </div>
  );
}
