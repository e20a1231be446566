/** The pages, in the order of the navigation. */
import type { ComponentType } from "preact";
import { ClockPage } from "../pages/clock/clock-page.tsx";
import { EndpointPage } from "../pages/endpoint/endpoint-page.tsx";
import { JobPage } from "../pages/job/job-page.tsx";
import { JobsPage } from "../pages/jobs/jobs-page.tsx";
import { LimitsPage } from "../pages/limits/limits-page.tsx";
import { OverviewPage } from "../pages/overview/overview-page.tsx";
import { PlaygroundPage } from "../pages/playground/playground-page.tsx";
import { ReplicasPage } from "../pages/replicas/replicas-page.tsx";
import { WebhooksPage } from "../pages/webhooks/webhooks-page.tsx";
import { WorkersPage } from "../pages/workers/workers-page.tsx";
import type { PageProps } from "../route/route.ts";

interface Page {
  /** The first part of its address. */
  readonly name: string;
  readonly title: string;
  /** Its key behind `g`. Pages without a key are not listed. */
  readonly key?: string;
  /** The navigation entry of a page without an entry of its own. */
  readonly within?: string;
  readonly Component: ComponentType<PageProps>;
}

export const PAGES: readonly Page[] = [
  { name: "overview", title: "Overview", key: "o", Component: OverviewPage },
  { name: "endpoint", title: "Endpoint", within: "overview", Component: EndpointPage },
  { name: "replicas", title: "Replicas", within: "overview", Component: ReplicasPage },
  { name: "jobs", title: "Jobs", key: "j", Component: JobsPage },
  { name: "job", title: "Job", within: "jobs", Component: JobPage },
  { name: "playground", title: "Playground", key: "p", Component: PlaygroundPage },
  { name: "workers", title: "Workers", key: "w", Component: WorkersPage },
  { name: "webhooks", title: "Webhooks", key: "h", Component: WebhooksPage },
  { name: "clock", title: "Clock", key: "c", Component: ClockPage },
  { name: "limits", title: "Limits", key: "l", Component: LimitsPage },
];
