/** Access of the dashboard. */

/** `on`: everything; `read-only`: nothing can be changed; `off`: no dashboard. */
export const DASHBOARD_MODES = ["on", "read-only", "off"] as const;

export type DashboardMode = (typeof DASHBOARD_MODES)[number];
