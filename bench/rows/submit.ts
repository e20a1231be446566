/** Row: acknowledged submissions per second while a worker runs the jobs, beside a bare server with equal answers. */
import type { Bench } from "../bench.ts";
import { contest, ofBareServer, ofEmulator, ofOtherCheckout } from "../contest.ts";
import type { Line } from "../line.ts";
import type { Row } from "./row.ts";

const LEAST = 0.22;
const IN_FLIGHT = 50;
const TASK = ["run", "echo"] as const;

async function measure(bench: Bench): Promise<readonly Line[]> {
  await using parts = new AsyncDisposableStack();
  const ours = await ofEmulator(bench, parts, TASK);
  const other = await ofOtherCheckout(bench, parts, TASK);
  const bare = await ofBareServer(bench, parts, "run");
  const name = "bare node:http, parses and answers an id";
  const rivals = [{ name, contestant: bare, least: LEAST }, ...other];
  const what = `/run acknowledged, ${IN_FLIGHT} in flight`;
  return await contest(bench, { what, unit: "req/s", inFlight: IN_FLIGHT, ours, rivals });
}

export const submit: Row = {
  id: "submit",
  title: "Submissions per second: 200 B, durable before the answer, while a worker does them",
  measure,
};
