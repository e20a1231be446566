/** `sv-emulate replicas`: lists the emulators that share a database. */
import { replicasSchema } from "./answers.ts";
import { type OperationCall, show } from "./operation-call.ts";
import { tableText } from "./table.ts";
import { instantInWords, plain } from "./terminal.ts";

/** What stands where a replica did not answer for itself. */
const UNKNOWN = "?";

const HEAD = ["replica", "address", "version", "started", "lease ends", "parts", "endpoints"];

export async function listReplicas(call: OperationCall): Promise<void> {
  const answer = await call.client.get("/emulator/replicas", replicasSchema);
  const { answeredBy, replicas, unowned } = answer;
  show(call, answer, () => {
    const rows = replicas.map((replica) => {
      const { id, address = "", version, startedAt, leaseEndsAt, parts, endpoints } = replica;
      const { workers = UNKNOWN, running = UNKNOWN } = replica;
      const moments = [instantInWords(startedAt), instantInWords(leaseEndsAt)];
      const counts = [parts?.length ?? "", endpoints, workers, running].map(String);
      const asked = replicas.length > 1 && id === answeredBy ? "answered" : "";
      return [...[id, address, version].map(plain), ...moments, ...counts, asked];
    });
    const free = unowned.length === 0 ? "" : `parts that nobody has: ${unowned.join(", ")}\n`;
    return tableText([...HEAD, "workers", "running", ""], rows) + free;
  });
}
