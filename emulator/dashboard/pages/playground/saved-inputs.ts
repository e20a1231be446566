/** Inputs saved in this browser, by endpoint and name. */

export interface SavedInput {
  readonly name: string;
  readonly json: string;
}

const KEPT_AS = "sv-inputs:";
/** Maximum inputs of an endpoint: the oldest go. */
const MOST = 30;

export function savedInputs(endpointId: string): readonly SavedInput[] {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT_AS + endpointId) ?? "[]") as unknown;
    return Array.isArray(kept) ? kept.filter(isSaved) : [];
  } catch {
    return [];
  }
}

/** Replaces the input of that name. @throws Error if the browser stores nothing more */
export function saveInput(endpointId: string, input: SavedInput): readonly SavedInput[] {
  const others = savedInputs(endpointId).filter(({ name }) => name !== input.name);
  return keep(endpointId, [...others, input].slice(-MOST));
}

export function forgetInput(endpointId: string, name: string): readonly SavedInput[] {
  return keep(
    endpointId,
    savedInputs(endpointId).filter((input) => input.name !== name),
  );
}

function keep(endpointId: string, inputs: readonly SavedInput[]): readonly SavedInput[] {
  localStorage.setItem(KEPT_AS + endpointId, JSON.stringify(inputs));
  return inputs;
}

function isSaved(value: unknown): value is SavedInput {
  return (
    typeof value === "object" &&
    value !== null &&
    "name" in value &&
    typeof value.name === "string" &&
    "json" in value &&
    typeof value.json === "string"
  );
}
