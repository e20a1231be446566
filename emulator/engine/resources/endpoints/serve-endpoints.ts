/** Creates or updates the endpoints of handler files at the start, and keeps changes made over the interface. */
import { iso } from "../../../core/time/iso.ts";
import { endpointRolls, rolled } from "../../../core/resources/endpoints/endpoint-change.ts";
import { workersMinProblem } from "../../../core/resources/endpoints/endpoint-input.ts";
import type { Endpoint } from "../../../core/resources/endpoints/endpoint.ts";
import type { ServedEndpoint } from "../../../core/resources/endpoints/served-endpoint.ts";
import { type Settled, settleServed } from "../../../core/resources/served-settings.ts";
import { templateRolls } from "../../../core/resources/templates/template-change.ts";
import type { Template } from "../../../core/resources/templates/template.ts";
import type { Step } from "../../steps/step.ts";
import type { StepPort } from "../../steps/step-port.ts";
import type { TimePort } from "../../time/time-port.ts";
import type { TellPort } from "../../observe/tell-port.ts";
import { warnOfUnknownGpus } from "../../workers/gpus/warn-of-unknown-gpus.ts";
import { logSettled } from "../log-overrides.ts";
import { putEndpoint } from "./put-endpoint.ts";

interface Outcome {
  readonly endpoint: Endpoint;
  /** Fields that keep their change over the interface. Fields of the template have names like `template.<field>`. */
  readonly kept: readonly string[];
  /** Fields that lost their change to the file. */
  readonly overridden: readonly string[];
}

/**
 * Creates the endpoints with their templates, or updates them with changes of their files since the last start; logs where file
 * and interface disagree.
 * @throws ServiceError storage_full
 */
export async function serve(
  engine: StepPort & TimePort & TellPort,
  files: readonly ServedEndpoint[],
): Promise<void> {
  const outcomes = await engine.steps.commit((step) => {
    const settled: Outcome[] = [];
    for (const file of files) settled.push(settle(step, iso(engine.clock.now()), file));
    return settled;
  });
  for (const outcome of outcomes) {
    const { id: endpointId } = outcome.endpoint;
    warnOfUnknownGpus(engine, outcome.endpoint.gpuTypeIds, { endpointId });
    logSettled(engine.log, { endpointId }, `the endpoint "${endpointId}"`, outcome);
  }
}

function settle(step: Step, at: string, file: ServedEndpoint): Outcome {
  const { id } = file.endpoint;
  const before = step.record("served", id);
  const templateBefore = step.record("template", file.endpoint.templateId);
  const template = file.template && settleTemplate(step, file.template, before?.template);
  const storedEndpoint = step.record("endpoint", id);
  const endpoint = settleEndpoint(storedEndpoint, before?.endpoint, file.endpoint);
  const rolls =
    template?.rolls === true ||
    (storedEndpoint !== undefined && endpointRolls(storedEndpoint, endpoint.thing));
  const settled = rolls ? rolled(endpoint.thing) : endpoint.thing;
  putEndpoint(step, at, settled, templateBefore);
  // The file does not tell when the endpoint was created.
  const { createdAt } = settled;
  step.putRecord("served", id, { ...file, endpoint: { ...file.endpoint, createdAt } });
  const ofTemplate = (field: string) => `template.${field}`;
  return {
    endpoint: settled,
    kept: [...endpoint.kept, ...(template?.kept ?? []).map(ofTemplate)],
    overridden: [...endpoint.overridden, ...(template?.overridden ?? []).map(ofTemplate)],
  };
}

function settleTemplate(
  step: Step,
  now: Template,
  before: Template | undefined,
): Settled<Template> & { readonly rolls: boolean } {
  const stored = step.record("template", now.id);
  const settled = settleServed<Template>({ stored: stored ?? now, before, now });
  step.putRecord("template", now.id, settled.thing);
  return { ...settled, rolls: stored !== undefined && templateRolls(stored, settled.thing) };
}

function settleEndpoint(
  stored: Endpoint | undefined,
  before: Endpoint | undefined,
  now: Endpoint,
): Settled<Endpoint> {
  if (!stored) return { thing: now, kept: [], overridden: [] };
  // An endpoint from an earlier run keeps its age and its version.
  const { createdAt, version } = stored;
  const own = { createdAt, version };
  const settled = settleServed({
    stored,
    before: before && { ...before, ...own },
    now: { ...now, ...own },
  });
  if (workersMinProblem(settled.thing) === undefined) return settled;
  // If a bound from the file contradicts one from the interface, both are taken from the file.
  const { workersMin, workersMax } = now;
  const isBound = (field: string) => field === "workersMin" || field === "workersMax";
  return {
    thing: { ...settled.thing, workersMin, workersMax },
    kept: settled.kept.filter((field) => !isBound(field)),
    overridden: [...settled.overridden, ...settled.kept.filter(isBound)],
  };
}
