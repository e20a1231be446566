/** What the handlers of endpoints take and give, as their workers told it: kept in memory, and told again after a start. */
import { isUtf8 } from "node:buffer";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import type { HandlerSchemas, JsonSchema } from "../../../../runtime/protocol/session.ts";

/** All of them together. Beyond it those are forgotten that were told longest ago. */
const MAX_BYTES = 16_000_000;

const NOTHING: HandlerSchemas = {};

interface Told {
  readonly version: number;
  readonly text: string;
}

/** Whose handler it is, and of which version of the endpoint. */
interface Teller {
  readonly endpointId: string;
  readonly endpointVersion: number;
}

/** Called with what the handler of an endpoint takes and gives, each as a JSON Schema; empty where it has none that can be told. */
export type HandlerTold = (endpointId: string, schemas: HandlerSchemas) => void;

export class HandlerSchemaBook {
  /** In the order in which they were told. */
  readonly #told = new Map<string, Told>();
  readonly #noted: HandlerTold;
  #bytes = 0;
  #revision = 0;

  /** @param noted called with whatever a worker tells, also where that is nothing */
  constructor(noted: HandlerTold = () => undefined) {
    this.#noted = noted;
  }

  /** Grows whenever something here changes. */
  get revision(): number {
    return this.#revision;
  }

  /** The endpoints that something is known of, in the order of their ids. */
  endpointIds(): readonly string[] {
    return [...this.#told.keys()].toSorted();
  }

  /** Empty where no worker has told anything, as those of other runtimes never do. */
  of(endpointId: string): HandlerSchemas {
    const told = this.#told.get(endpointId);
    // Checked when it was noted.
    return told === undefined ? NOTHING : (JSON.parse(told.text) as HandlerSchemas);
  }

  /** Notes what a worker tells. A worker of an earlier version changes nothing, and what makes no sense counts as nothing. */
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

  /** The endpoint is gone. */
  forget(endpointId: string): void {
    const told = this.#told.get(endpointId);
    if (told === undefined) return;
    this.#told.delete(endpointId);
    this.#bytes -= told.text.length;
    this.#revision += 1;
  }
}

/** Workers are not trusted. */
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

/** Those who read a schema follow it down, and end where the stack does. */
function isDeep(value: unknown, depthLeft: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depthLeft === 0 || Object.values(value).some((inner) => isDeep(inner, depthLeft - 1));
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
