/** Events of the service (`GET /emulator/events`) as the dashboard reads them. */
import type { JobStatus } from "../../../runtime/protocol/job-status.ts";

/** A changed status of a job; null: the job does not exist. */
export interface JobMoved {
  readonly type: "job";
  readonly at: string;
  readonly endpointId: string;
  readonly jobId: string;
  readonly from: JobStatus | null;
  readonly to: JobStatus | null;
  readonly by: string;
}

/** Any other event; pages read again what it concerns. */
export interface OtherEvent {
  readonly type: "worker" | "endpoint" | "clock" | "attempt" | "scale" | "webhook";
  readonly at: string;
  readonly endpointId?: string;
  readonly jobId?: string;
  readonly workerId?: string;
  readonly deliveryId?: string;
  /** The new state of a worker or a delivery. */
  readonly state?: string;
  /** The reason of a decision of the scaler. */
  readonly reason?: string;
}

export type ServiceEvent = JobMoved | OtherEvent;

const TYPES = ["job", "worker", "endpoint", "clock", "attempt", "scale", "webhook"];

/** The events in a frame: one, or a batch. Unknown types are left out. */
export function eventsOf(type: string, data: string): readonly ServiceEvent[] {
  const value = parsed(data);
  if (type === "batch") return Array.isArray(value) ? value.filter(isEvent) : [];
  const event: unknown = typeof value === "object" && value !== null ? { ...value, type } : value;
  return isEvent(event) ? [event] : [];
}

function isEvent(value: unknown): value is ServiceEvent {
  return (
    typeof value === "object" &&
    value !== null &&
    "type" in value &&
    TYPES.includes(String(value.type)) &&
    "at" in value &&
    typeof value.at === "string"
  );
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch {
    return undefined;
  }
}
