/** The settings of an endpoint that can be changed: their names, what they mean, and how a form becomes a change. Pure. */

/** What the management interface answers of an endpoint, as far as it can be edited here. */
export interface Editable {
  readonly type: "QUEUE" | "LOAD_BALANCING";
  readonly computeType: "GPU" | "CPU";
  readonly name: string;
  readonly workersMin: number;
  readonly workersMax: number;
  readonly idleTimeout: number;
  readonly scalerType: string;
  readonly scalerValue: number;
  readonly executionTimeoutMs: number;
  readonly retries: { readonly workerLost: number; readonly handlerError: number };
  readonly requestsPerWorker: number;
  readonly gpuTypeIds: readonly string[];
  readonly gpuCount: number;
  readonly cpuFlavorIds?: readonly string[] | undefined;
  readonly vcpuCount?: number | undefined;
}

export interface SettingField {
  /** As the management interface calls it; a dot leads into an object. */
  readonly name: string;
  readonly label: string;
  readonly kind: "text" | "number" | "list" | "choice";
  readonly unit?: string;
  readonly help?: string;
  readonly choices?: readonly (readonly [value: string, label: string])[];
  /** A change of it replaces the workers. */
  readonly rolls?: boolean;
  readonly only?: Partial<Pick<Editable, "type" | "computeType">>;
}

const ALL_FIELDS: readonly SettingField[] = [
  { name: "name", label: "Name", kind: "text" },
  { name: "workersMin", label: "Workers, at least", kind: "number", help: "kept without jobs too" },
  { name: "workersMax", label: "Workers, at most", kind: "number" },
  {
    name: "idleTimeout",
    label: "Idle timeout",
    kind: "number",
    unit: "s",
    help: "without a job, before a worker leaves",
  },
  {
    name: "scalerType",
    label: "Scaler",
    kind: "choice",
    choices: [
      ["QUEUE_DELAY", "by queue delay"],
      ["REQUEST_COUNT", "by job count"],
    ],
    only: { type: "QUEUE" },
  },
  {
    name: "scalerValue",
    label: "Scaler value",
    kind: "number",
    help: "seconds in the queue, or jobs for each worker",
  },
  {
    name: "executionTimeoutMs",
    label: "Execution timeout",
    kind: "number",
    unit: "ms",
    only: { type: "QUEUE" },
  },
  {
    name: "retries.workerLost",
    label: "Retries, worker lost",
    kind: "number",
    only: { type: "QUEUE" },
  },
  {
    name: "retries.handlerError",
    label: "Retries, handler failed",
    kind: "number",
    only: { type: "QUEUE" },
  },
  {
    name: "requestsPerWorker",
    label: "Requests per worker",
    kind: "number",
    help: "by which each running worker raises the rate limits",
  },
  {
    name: "gpuTypeIds",
    label: "GPU types",
    kind: "list",
    help: "the preferred one first, with commas",
    rolls: true,
    only: { computeType: "GPU" },
  },
  {
    name: "gpuCount",
    label: "GPUs per worker",
    kind: "number",
    rolls: true,
    only: { computeType: "GPU" },
  },
  {
    name: "cpuFlavorIds",
    label: "CPU flavours",
    kind: "list",
    help: "with commas",
    rolls: true,
    only: { computeType: "CPU" },
  },
  {
    name: "vcpuCount",
    label: "vCPUs",
    kind: "number",
    rolls: true,
    only: { computeType: "CPU" },
  },
];

/** Those that an endpoint of this kind has. */
export function fieldsOf(
  endpoint: Pick<Editable, "type" | "computeType">,
): readonly SettingField[] {
  return ALL_FIELDS.filter(
    ({ only }) =>
      (only?.type ?? endpoint.type) === endpoint.type &&
      (only?.computeType ?? endpoint.computeType) === endpoint.computeType,
  );
}

/** What was typed, by the name of the field; those that were not touched are not in it. */
export type Draft = Readonly<Record<string, string>>;

/** The value as the form shows it. */
export function textOf(endpoint: Editable, name: string): string {
  const value = valueAt(endpoint, name);
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Fields whose text is not that of the endpoint any more. */
export function changedNames(endpoint: Editable, draft: Draft): readonly string[] {
  return Object.keys(draft).filter((name) => draft[name]?.trim() !== textOf(endpoint, name));
}

/** The body of the `PATCH`. What is no number goes as it was typed: the service says what is wrong with it. */
export function changesOf(endpoint: Editable, draft: Draft): Readonly<Record<string, unknown>> {
  const body: Record<string, unknown> = {};
  for (const name of changedNames(endpoint, draft)) {
    const field = ALL_FIELDS.find((each) => each.name === name);
    if (field === undefined) continue;
    const value = typed(field, draft[name] ?? "");
    const [of = "", member] = name.split(".");
    if (member === undefined) body[of] = value;
    else body[of] = { ...(body[of] as object | undefined), [member]: value };
  }
  return body;
}

function typed({ kind }: SettingField, text: string): unknown {
  const wanted = text.trim();
  if (kind === "list") {
    return wanted
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "");
  }
  return kind === "number" && wanted !== "" && !Number.isNaN(Number(wanted))
    ? Number(wanted)
    : wanted;
}

export interface FieldProblems {
  /** By the name of the field, without it at the beginning. */
  readonly at: Readonly<Record<string, string>>;
  /** Those of no field that is shown. */
  readonly others: readonly string[];
}

/** Each sentence of the service at the field that it is about. */
export function problemsAt(
  sentences: readonly string[],
  fields: readonly SettingField[],
): FieldProblems {
  const at: Record<string, string> = {};
  const others: string[] = [];
  for (const sentence of sentences) {
    const field = fields.find(({ name }) => new RegExp(`^${name}(?![\\w.])`, "u").test(sentence));
    if (field === undefined) others.push(sentence);
    else at[field.name] = sentence.slice(field.name.length).trim();
  }
  return { at, others };
}

function valueAt(endpoint: Editable, name: string): unknown {
  return name
    .split(".")
    .reduce<unknown>(
      (value, part) =>
        typeof value === "object" && value !== null ? Reflect.get(value, part) : undefined,
      endpoint,
    );
}
