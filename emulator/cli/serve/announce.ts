/** Announces a service that the command line has started, and sums up when it has stopped. */
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
import type { StartInputs } from "./start-inputs.ts";
import type { ToldInputs } from "./told-inputs.ts";

/** So long a first worker may take to tell what its handler takes. */
const TELLING_MS = 5_000;

interface Announced {
  readonly inputs: StartInputs;
  readonly hasGivenKey: boolean;
  readonly mode: LogMode;
  readonly log: LogOutput;
  readonly toldInputs: ToldInputs;
}

/** Says that the service can be called, and to a person in a terminal also how: once their workers have told what handlers take. */
export async function announce(emulator: Emulator, announced: Announced): Promise<void> {
  const { inputs, hasGivenKey, mode, log, toldInputs } = announced;
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
  // Where no worker starts by itself, nobody tells anything.
  const others = inputs.handlers
    .filter(({ settings }) => settings?.workersMin !== 0)
    .map(({ id }) => id)
    .filter((id) => !shownCalls.has(id) && !balancedIds.includes(id));
  const exampleCalls = new Map([
    ...shownCalls,
    ...callsOfSchemas(await toldInputs.of(others, TELLING_MS)),
  ]);
  const links = { dashboard: emulator.dashboardLink() };
  const shown = { url, apiKey, endpointIds, balancedIds, exampleCalls, isNewKey, s3, ...links };
  process.stdout.write(invitation(shown));
}

/** What would have failed, or has failed, for being too much at once. */
export function sumUp(emulator: Emulator, limits: LimitMode, log: LogOutput): void {
  const exceeded = emulator.exceededLimits();
  for (const limit of exceeded) log.warn({ ...limit }, limitSentence(limit, limits));
  if (limits === "warn" && exceeded.length === 0) log.info({}, NOTHING_EXCEEDED);
}
