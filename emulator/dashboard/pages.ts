/** The pages, in the order of the navigation. Each is loaded when it is first shown. */
import type { ComponentType } from "preact";
import type { Route } from "./route/route.ts";

export interface PageProps {
  readonly route: Route;
}

export interface Page {
  /** The first part of its address. */
  readonly name: string;
  readonly title: string;
  /** One key behind `g` leads to it. Pages without one are reached from others, and not listed. */
  readonly key?: string;
  /** Which entry of the navigation it belongs to, where it has none of its own. */
  readonly within?: string;
  readonly load: () => Promise<ComponentType<PageProps>>;
}

export const PAGES: readonly Page[] = [
  {
    name: "overview",
    title: "Overview",
    key: "o",
    load: async () => (await import("./pages/overview/overview-page.tsx")).OverviewPage,
  },
  {
    name: "endpoint",
    title: "Endpoint",
    within: "overview",
    load: async () => (await import("./pages/endpoint/endpoint-page.tsx")).EndpointPage,
  },
  {
    name: "jobs",
    title: "Jobs",
    key: "j",
    load: async () => (await import("./pages/jobs/jobs-page.tsx")).JobsPage,
  },
  {
    name: "job",
    title: "Job",
    within: "jobs",
    load: async () => (await import("./pages/job/job-page.tsx")).JobPage,
  },
  {
    name: "playground",
    title: "Playground",
    key: "p",
    load: async () => (await import("./pages/playground/playground-page.tsx")).PlaygroundPage,
  },
  {
    name: "workers",
    title: "Workers",
    key: "w",
    load: async () => (await import("./pages/workers/workers-page.tsx")).WorkersPage,
  },
  {
    name: "webhooks",
    title: "Webhooks",
    key: "h",
    load: async () => (await import("./pages/webhooks/webhooks-page.tsx")).WebhooksPage,
  },
  {
    name: "clock",
    title: "Clock",
    key: "c",
    load: async () => (await import("./pages/clock/clock-page.tsx")).ClockPage,
  },
  {
    name: "limits",
    title: "Limits",
    key: "l",
    load: async () => (await import("./pages/limits/limits-page.tsx")).LimitsPage,
  },
];
