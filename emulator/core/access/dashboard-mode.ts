/** What the dashboard may be used for. */

/** `on`: for everything; `read-only`: to look at things; `off`: there is none. */
export const DASHBOARD_MODES = ["on", "read-only", "off"] as const;

export type DashboardMode = (typeof DASHBOARD_MODES)[number];
