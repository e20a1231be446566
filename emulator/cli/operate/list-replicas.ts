/** `sv-emulate replicas`: lists the emulators that share a database. */
import { durationInWords } from "../../core/time/duration.ts";
import { replicasSchema } from "./answers.ts";
import { type OperationCall, show } from "./operation-call.ts";
import { tableText } from "./table.ts";
import { instantInWords, plain } from "./terminal.ts";

/** What stands where a replica did not answer for itself. */
const UNKNOWN = "?";

/** Minimum difference between a machine's clock and the database's that is shown, ms. */
const SHOWN_MS = 1_000;

const HEAD = [
  ...["replica", "address", "version", "started", "lease ends", "clock"],
  ...["partitions", "endpoints", "workers", "running", ""],
];

export async function listReplicas(call: OperationCall): Promise<void> {
  const answer = await call.client.get("/emulator/replicas", replicasSchema);
  const { answeredBy, replicas, unowned } = answer;
  show(call, answer, () => {
    const rows = replicas.map((replica) => {
      const { id, address = "", version, startedAt, leaseEndsAt, partitions, endpoints } = replica;
      const { workers = UNKNOWN, running = UNKNOWN } = replica;
      const clock = clockInWords(replica.clockAheadMs);
      const moments = [instantInWords(startedAt), instantInWords(leaseEndsAt), clock];
      const counts = [partitions?.length ?? "", endpoints, workers, running].map(String);
      const asked = replicas.length > 1 && id === answeredBy ? "answered" : "";
      return [...[id, address, version].map(plain), ...moments, ...counts, asked];
    });
    const free = unowned.length === 0 ? "" : `partitions that nobody has: ${unowned.join(", ")}\n`;
    return tableText(HEAD, rows) + free;
  });
}

/** By how much it is ahead of the database's, or behind; empty for a second and less. */
function clockInWords(aheadMs = 0): string {
  if (Math.abs(aheadMs) <= SHOWN_MS) return "";
  return `${aheadMs > 0 ? "+" : "-"}${durationInWords(Math.abs(aheadMs))}`;
}
