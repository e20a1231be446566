/** Schemas of handlers' inputs and outputs, as reported by workers: kept in memory, and reported again after a start. */
import { isUtf8 } from "node:buffer";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import type { HandlerSchemas, JsonSchema } from "../../../../runtime/protocol/session.ts";

/** Maximum size of all schemas together; beyond it the oldest reports are forgotten. */
const MAX_BYTES = 16_000_000;

const NOTHING: HandlerSchemas = {};

interface Told {
  readonly version: number;
  readonly text: string;
}

/** Endpoint of the handler, with its version. */
interface Teller {
  readonly endpointId: string;
  readonly endpointVersion: number;
}

/**
 * Called with the input and output schema of an endpoint's handler, each as JSON Schema. The object is empty if the handler has
 * no schemas.
 */
export type HandlerTold = (endpointId: string, schemas: HandlerSchemas) => void;

export class HandlerSchemaBook {
  /** In the order of the reports. */
  readonly #told = new Map<string, Told>();
  readonly #noted: HandlerTold;
  #bytes = 0;
  #revision = 0;

  /** @param noted called with every report of a worker, also an empty one */
  constructor(noted: HandlerTold = () => undefined) {
    this.#noted = noted;
  }

  /** A counter that grows with every change. */
  get revision(): number {
    return this.#revision;
  }

  /** Endpoints with known schemas, by id. */
  endpointIds(): readonly string[] {
    return [...this.#told.keys()].toSorted();
  }

  /** Empty without a report, as for workers of other runtimes. */
  of(endpointId: string): HandlerSchemas {
    const told = this.#told.get(endpointId);
    // It was checked when it was noted.
    return told === undefined ? NOTHING : (JSON.parse(told.text) as HandlerSchemas);
  }

  /** Notes a worker's report. A report from an earlier version is ignored; an invalid one counts as empty. */
  note({ endpointId, endpointVersion: version }: Teller, json: Uint8Array): void {
    const before = this.#told.get(endpointId);
    if (before !== undefined && before.version > version) return;
    const schemas = readSchemas(json);
    this.#noted(endpointId, schemas);
    const text = JSON.stringify(schemas);
    if (before?.text === text && before.version === version) return;
    this.forget(endpointId);
    if (text === JSON.stringify(NOTHING)) return;
    this.#told.set(endpointId, { version, text });
    this.#bytes += text.length;
    this.#revision += 1;
    for (const [oldest] of this.#told) {
      if (this.#bytes <= MAX_BYTES) return;
      this.forget(oldest);
    }
  }

  forget(endpointId: string): void {
    const told = this.#told.get(endpointId);
    if (told === undefined) return;
    this.#told.delete(endpointId);
    this.#bytes -= told.text.length;
    this.#revision += 1;
  }
}

/** Checks the size and depth of schemas, because workers are not trusted. */
function readSchemas(json: Uint8Array): HandlerSchemas {
  if (json.byteLength > LIMITS.handlerSchemasMaxBytes || !isUtf8(json)) return NOTHING;
  try {
    const told: unknown = JSON.parse(Buffer.from(json).toString());
    if (!isObject(told)) return NOTHING;
    const { input, output } = told;
    if (isDeep(told, LIMITS.jsonMaxDepth)) return NOTHING;
    return { ...(isObject(input) && { input }), ...(isObject(output) && { output }) };
  } catch {
    return NOTHING;
  }
}

/** Readers of a schema recurse into it, so its depth is limited. */
function isDeep(value: unknown, depthLeft: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depthLeft === 0 || Object.values(value).some((inner) => isDeep(inner, depthLeft - 1));
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
