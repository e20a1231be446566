/** `sv-emulate webhooks`: lists webhook deliveries, shows one with its request and its tries, and sends it again. */
import { UsageError } from "../usage-error.ts";
import {
  deliveriesSchema,
  deliverySchema,
  deliveryWithRequestSchema,
  type ShownDelivery,
  type ShownDeliveryWithRequest,
} from "./answers.ts";
import { isPartOf, partOf } from "./find-job.ts";
import { type OperationCall, show } from "./operation-call.ts";
import { RefusedError } from "./service-client.ts";
import { block, payloadText } from "./show-job.ts";
import { factsText, tableText } from "./table.ts";
import { durationInWords } from "../../core/time/duration.ts";
import { instantInWords, type Paint, painter, plain, type Terminal } from "./terminal.ts";

const STATE_STYLES: Readonly<Record<string, Parameters<Paint>[0]>> = {
  pending: "cyan",
  delivered: "green",
  failed: "red",
};

export async function operateWebhooks(call: OperationCall): Promise<void> {
  const { client, subject, flags, terminal } = call;
  if (subject === undefined) {
    if (flags.redeliver === true) throw new UsageError("say which delivery is to be sent again");
    return listDeliveries(call);
  }
  const id = await deliveryIdOf(call, subject);
  const path = `/emulator/webhooks/${encodeURIComponent(id)}`;
  if (flags.redeliver !== true) {
    const delivery = await client.get(path, deliveryWithRequestSchema);
    return show(call, delivery, () => deliveryText(delivery, terminal));
  }
  const again = await client.post(`${path}/redeliver`, deliverySchema);
  show(call, again, () => `${plain(again.id)} ${stateInColor(again, painter(terminal))}\n`);
}

async function listDeliveries(call: OperationCall): Promise<void> {
  const { endpoint, state, limit } = call.flags;
  const query = new URLSearchParams({
    ...(endpoint !== undefined && { endpointId: endpoint }),
    ...(state !== undefined && { state }),
    ...(limit !== undefined && { limit }),
  });
  const page = await call.client.get(`/emulator/webhooks?${query.toString()}`, deliveriesSchema);
  const paint = painter(call.terminal);
  const head = ["delivery", "endpoint", "job", "state", "tries", "last answer", "next try", "to"];
  show(call, page.deliveries, () =>
    tableText(
      head,
      page.deliveries.map((delivery) => [
        plain(delivery.id),
        plain(delivery.endpointId),
        plain(delivery.jobStatus),
        stateInColor(delivery, paint),
        String(delivery.tries.length),
        answerOf(delivery.tries.at(-1)),
        instantInWords(delivery.nextTryAt),
        plain(delivery.url),
      ]),
    ),
  );
}

/** As given, or of the only delivery of the job with such an id. @throws RefusedError */
async function deliveryIdOf({ client }: OperationCall, given: string): Promise<string> {
  if (given.startsWith("msg_")) return given;
  const part = partOf(given);
  const query = new URLSearchParams({ limit: "100" });
  const found: string[] = [];
  for (let after: string | undefined = ""; after !== undefined;) {
    if (after !== "") query.set("after", after);
    const page: { deliveries: ShownDelivery[]; next?: string | undefined } = await client.get(
      `/emulator/webhooks?${query.toString()}`,
      deliveriesSchema,
    );
    const fitting = page.deliveries.filter(({ jobId }) => isPartOf(part, jobId));
    found.push(...fitting.map(({ id }) => id));
    after = page.next;
  }
  const [only, ...others] = found;
  if (only === undefined)
    throw new RefusedError(`there is no webhook delivery of a job "${given}"`);
  if (others.length === 0) return only;
  const shown = found.map((id) => `\n  ${id}`).join("");
  throw new RefusedError(`"${given}" may be any of these deliveries:${shown}`);
}

function deliveryText(delivery: ShownDeliveryWithRequest, terminal: Pick<Terminal, "colors">) {
  const paint = painter(terminal);
  const { request, tries } = delivery;
  const headers = Object.entries(request.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  const facts = factsText(paint, [
    ["delivery", plain(delivery.id)],
    ["job", plain(delivery.jobId)],
    ["endpoint", plain(delivery.endpointId)],
    ["ended", plain(delivery.jobStatus)],
    ["state", stateInColor(delivery, paint)],
    ["created", instantInWords(delivery.createdAt)],
    ["next try", instantInWords(delivery.nextTryAt)],
  ]);
  const rows = tries.map((made) => [
    instantInWords(made.at),
    durationInWords(made.durationMs),
    answerOf(made),
    plain(made.warning ?? ""),
  ]);
  return [
    facts,
    ...(rows.length === 0 ? [] : [tableText(["try", "took", "answer", "but"], rows)]),
    block(paint, "request", [`${request.method} ${delivery.url}`, ...headers].join("\n")),
    block(paint, "body", payloadText(request.body)),
  ].join("\n");
}

function stateInColor({ state }: Pick<ShownDelivery, "state">, paint: Paint): string {
  const style = STATE_STYLES[state];
  return style === undefined ? plain(state) : paint(style, state);
}

function answerOf(made: ShownDelivery["tries"][number] | undefined): string {
  return made === undefined ? "" : plain(String(made.status ?? made.error ?? ""));
}
