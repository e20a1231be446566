/** Announces a service that the command line has started, and sums up when it has stopped. */
import type { HandlerSchemas, JsonSchema } from "../../../runtime/protocol/session.ts";
import type { Emulator, LimitMode } from "../../index.ts";
import type { LogOutput } from "../log/log-output.ts";
import {
  invitation,
  KEY_HINT,
  keySentence,
  limitSentence,
  NOTHING_EXCEEDED,
  readyLine,
  s3Sentence,
} from "./announcement.ts";
import { callsOfSchemas, exampleCallsOf } from "./example-call.ts";
import type { LogMode } from "./setting-values.ts";
import type { StartOptions } from "./start-options.ts";

/** Timeout for the input schemas of handlers, which their first workers report. */
const TELLING_MS = 5_000;

interface Announced {
  readonly inputs: StartOptions;
  readonly hasGivenKey: boolean;
  readonly mode: LogMode;
  readonly log: LogOutput;
  readonly handlerInputs: HandlerInputs;
}

/** Writes the ready line. In a terminal, example calls follow once workers have reported the input schemas of their handlers. */
export async function announce(emulator: Emulator, announced: Announced): Promise<void> {
  const { inputs, hasGivenKey, mode, log, handlerInputs } = announced;
  const { url, apiKey, endpointIds, s3 } = emulator;
  const isNewKey = !hasGivenKey && apiKey !== undefined;
  const toPerson = mode === "pretty" && process.stdout.isTTY;
  if (apiKey === undefined && !toPerson) log.info({}, KEY_HINT);
  if (isNewKey && apiKey !== undefined && !toPerson) log.info({}, keySentence(apiKey));
  if (s3 && !toPerson) log.info({ s3: s3.endpoint }, s3Sentence(s3));
  process.stdout.write(readyLine({ url }));
  if (!toPerson) return;
  const balancedIds = [...inputs.handlers, ...inputs.images]
    .filter(({ type }) => type === "LOAD_BALANCING")
    .map(({ id }) => id);
  const shownCalls = exampleCallsOf(inputs.handlers);
  // Without a worker from the start there is no report.
  const others = inputs.handlers
    .filter(({ settings }) => settings?.workersMin !== 0)
    .map(({ id }) => id)
    .filter((id) => !shownCalls.has(id) && !balancedIds.includes(id));
  const exampleCalls = new Map([
    ...shownCalls,
    ...callsOfSchemas(await handlerInputs.of(others, TELLING_MS)),
  ]);
  const links = { dashboard: emulator.dashboardLink() };
  const shown = { url, apiKey, endpointIds, balancedIds, exampleCalls, isNewKey, s3, ...links };
  process.stdout.write(invitation(shown));
}

/** Logs requests over the rate limits. */
export function sumUp(emulator: Emulator, limits: LimitMode, log: LogOutput): void {
  const exceeded = emulator.exceededLimits();
  for (const limit of exceeded) log.warn({ ...limit }, limitSentence(limit, limits));
  if (limits === "warn" && exceeded.length === 0) log.info({}, NOTHING_EXCEEDED);
}

/** The input schemas of handlers, which their workers report some time after the start. */
export class HandlerInputs {
  /** By endpoint; undefined for a handler without a schema that can be sent. */
  readonly #told = new Map<string, JsonSchema | undefined>();
  #look: () => void = () => undefined;

  note(endpointId: string, { input }: HandlerSchemas): void {
    this.#told.set(endpointId, input);
    this.#look();
  }

  /** The schemas of the endpoints once all have reported, or the known ones after `limitMs`. */
  async of(
    endpointIds: readonly string[],
    limitMs: number,
  ): Promise<ReadonlyMap<string, JsonSchema>> {
    const all = Promise.withResolvers<void>();
    this.#look = () => {
      if (endpointIds.every((id) => this.#told.has(id))) all.resolve();
    };
    const limit = setTimeout(all.resolve, limitMs).unref();
    this.#look();
    await all.promise;
    clearTimeout(limit);
    const known = endpointIds.map((id) => [id, this.#told.get(id)] as const);
    return new Map(known.filter((entry): entry is [string, JsonSchema] => entry[1] !== undefined));
  }
}
