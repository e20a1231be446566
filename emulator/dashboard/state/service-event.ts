/** What the service tells of while it happens (`GET /emulator/events`), as the dashboard reads it. */
import type { JobStatus } from "../../../runtime/protocol/job-status.ts";

/** The status of a job changed; null: it does not exist. */
export interface JobMoved {
  readonly type: "job";
  readonly at: string;
  readonly endpointId: string;
  readonly jobId: string;
  readonly from: JobStatus | null;
  readonly to: JobStatus | null;
  readonly by: string;
}

/** Any other one; pages ask for what they show anew when one comes that concerns it. */
export interface OtherEvent {
  readonly type: "worker" | "endpoint" | "clock" | "attempt" | "scale" | "webhook";
  readonly at: string;
  readonly endpointId?: string;
  readonly jobId?: string;
  readonly workerId?: string;
  readonly deliveryId?: string;
  /** Of a worker or a delivery: what it came to. */
  readonly state?: string;
  /** Of a scaler's decision: its sentence. */
  readonly reason?: string;
}

export type ServiceEvent = JobMoved | OtherEvent;

const TYPES = ["job", "worker", "endpoint", "clock", "attempt", "scale", "webhook"];

/** The events that a frame holds: one, or a batch of them. Types that are not known yet are left out. */
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
