/** `sv-emulate replicas`: lists the emulators that share a database. */
import { durationInWords } from "../../core/time/duration.ts";
import { type CommandCall, show } from "./command-call.ts";
import { tableText } from "./table.ts";
import { instantInWords } from "./terminal.ts";

/** Shown in place of the figures of a replica that did not answer. */
const UNKNOWN = "?";

/** Minimum difference between a machine's clock and the database's that is shown, ms. */
const SHOWN_MS = 1_000;

export async function listReplicas(call: CommandCall): Promise<void> {
  const answer = await call.client.call("listReplicas", {});
  const { answeredBy, replicas, unowned } = answer;
  show(call, answer, (paint) => {
    const table = tableText(paint, replicas, {
      replica: ({ id }) => id,
      address: ({ address }) => address,
      version: ({ version }) => version,
      started: ({ startedAt }) => instantInWords(startedAt),
      "lease ends": ({ leaseEndsAt }) => instantInWords(leaseEndsAt),
      clock: ({ clockAheadMs }) => clockInWords(clockAheadMs),
      partitions: ({ partitions }) => partitions?.length,
      endpoints: ({ endpoints }) => endpoints,
      workers: ({ workers = UNKNOWN }) => workers,
      running: ({ running = UNKNOWN }) => running,
      "": ({ id }) => (replicas.length > 1 && id === answeredBy ? "answered" : ""),
    });
    return unowned.length === 0
      ? table
      : `${table}partitions without an owner: ${unowned.join(", ")}\n`;
  });
}

/** The difference to the database's clock; empty for a second and less. */
function clockInWords(aheadMs = 0): string {
  if (Math.abs(aheadMs) <= SHOWN_MS) return "";
  return `${aheadMs > 0 ? "+" : "-"}${durationInWords(Math.abs(aheadMs))}`;
}
