/** `sv-emulate webhooks`: lists webhook deliveries, shows one with its request and its tries, and sends it again. */
import { durationInWords } from "../../core/time/duration.ts";
import type { Paint } from "../terminal-text.ts";
import { UsageError } from "../usage-error.ts";
import { type CommandCall, show, showTable } from "./command-call.ts";
import { isPartOf, partOf } from "./find-job.ts";
import type { AnswerOf } from "./operations.ts";
import { RefusedError } from "./service-client.ts";
import { block, payloadText } from "./show-job.ts";
import { factsText, stateText, tableText } from "./table.ts";
import { instantInWords, plain } from "./terminal.ts";

type Page = AnswerOf<"listDeliveries">;

export async function webhooks(call: CommandCall): Promise<void> {
  const { client, subject, flags } = call;
  if (subject === undefined) {
    if (flags.redeliver === true) throw new UsageError("which delivery? Give its id");
    return listDeliveries(call);
  }
  const deliveryId = await deliveryIdOf(call, subject);
  if (flags.redeliver !== true) {
    const delivery = await client.call("readDelivery", { deliveryId });
    return show(call, delivery, (paint) => deliveryText(delivery, paint));
  }
  const again = await client.call("redeliver", { deliveryId });
  show(call, again, (paint) => `${plain(again.id)} ${stateText(paint, again.state)}\n`);
}

async function listDeliveries(call: CommandCall): Promise<void> {
  const { endpoint: endpointId, state, limit } = call.flags;
  const page = await call.client.call("listDeliveries", { endpointId, state, limit });
  showTable(call, page.deliveries, {
    delivery: ({ id }) => id,
    endpoint: (delivery) => delivery.endpointId,
    job: ({ jobStatus }) => jobStatus,
    state: (delivery) => ({ state: delivery.state }),
    tries: ({ tries }) => tries.length,
    "last answer": ({ tries }) => answerOf(tries.at(-1)),
    "next try": ({ nextTryAt }) => instantInWords(nextTryAt),
    to: ({ url }) => url,
  });
}

/** The id as given, or that of the only delivery of the job. @throws RefusedError */
async function deliveryIdOf({ client }: CommandCall, given: string): Promise<string> {
  if (given.startsWith("msg_")) return given;
  const part = partOf(given);
  const found: string[] = [];
  let after: string | undefined;
  do {
    const page: Page = await client.call("listDeliveries", { limit: "100", after });
    const fitting = page.deliveries.filter(({ jobId }) => isPartOf(part, jobId));
    found.push(...fitting.map(({ id }) => id));
    after = page.next;
  } while (after !== undefined);
  const [only, ...others] = found;
  if (only === undefined)
    throw new RefusedError(`there is no webhook delivery of a job "${given}"`);
  if (others.length === 0) return only;
  const shown = found.map((id) => `\n  ${id}`).join("");
  throw new RefusedError(`"${given}" may be any of these deliveries:${shown}`);
}

function deliveryText(delivery: AnswerOf<"readDelivery">, paint: Paint): string {
  const { request, tries } = delivery;
  const headers = Object.entries(request.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  const facts = factsText(paint, {
    delivery: delivery.id,
    job: delivery.jobId,
    endpoint: delivery.endpointId,
    ended: delivery.jobStatus,
    state: { state: delivery.state },
    created: instantInWords(delivery.createdAt),
    "next try": instantInWords(delivery.nextTryAt),
  });
  const table = tableText(paint, tries, {
    try: ({ at }) => instantInWords(at),
    took: ({ durationMs }) => durationInWords(durationMs),
    answer: answerOf,
    but: ({ warning }) => warning,
  });
  return [
    facts,
    ...(tries.length === 0 ? [] : [table]),
    block(paint, "request", [`${request.method} ${delivery.url}`, ...headers].join("\n")),
    block(paint, "body", payloadText(request.body)),
  ].join("\n");
}

function answerOf(made: Page["deliveries"][number]["tries"][number] | undefined) {
  return made?.status ?? made?.error;
}
