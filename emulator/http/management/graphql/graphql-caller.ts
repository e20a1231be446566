/** The caller of a GraphQL document. Each field asks for the same permission as the REST operation that does the same. */
import type { ApiKey } from "../../../core/access/api-key.ts";
import { checkOpens, type Need } from "../../../core/access/key-scope.ts";
import { isMoved } from "../../../engine/steps/state/endpoint-moved.ts";
import { bareKey, goodKey, noKey } from "../../operation/access/admission.ts";
import { auditNote } from "../../operation/access/audit.ts";
import { asRefusal } from "../../operation/answers/refuse.ts";
import type { Call } from "../../operation/operation.ts";
import type { HttpEngine } from "../../operation/service.ts";

/** A change, for the audit. */
interface Change {
  /** Name of the field. */
  readonly name: string;
  /** Subject of the change; default: the id in the result. */
  readonly subject?: string | undefined;
  readonly endpointId?: string | undefined;
}

export class GraphqlCaller {
  readonly #call: Call<unknown>;
  readonly #key: ApiKey | undefined;
  #workers: Promise<ReadonlyMap<string, readonly EndpointWorker[]>> | undefined;

  /** @throws ServiceError unauthorized, key_expired for a bad key; a missing key is allowed */
  constructor(call: Call<unknown>) {
    this.#call = call;
    const text = keyText(call);
    this.#key = text === undefined ? undefined : goodKey(call.service, text);
  }

  get hasKey(): boolean {
    return this.#key !== undefined;
  }

  /** The engine for fields that are open without a key. */
  get publicly(): Pick<HttpEngine, "findGpus" | "prices"> {
    return this.#call.service.engine;
  }

  /**
   * The engine for a reading field.
   * @throws ServiceError unauthorized, insufficient_scope
   */
  reads(endpointId?: string): HttpEngine {
    this.#admit({ part: "resources", reads: true, endpointId });
    return this.#call.service.engine;
  }

  /**
   * Checks that there is a key, of any scope but `workers`.
   * @throws ServiceError unauthorized, insufficient_scope
   */
  identified(): void {
    this.#admit(undefined);
  }

  /**
   * Runs a change and notes its outcome in the audit.
   * @throws ServiceError unauthorized, insufficient_scope, and what `work` throws
   */
  async changes<Made>(
    { name, subject, endpointId }: Change,
    work: (engine: HttpEngine) => Promise<Made>,
  ): Promise<Made> {
    const key = this.#admit({ part: "resources", reads: false, endpointId });
    const { service } = this.#call;
    const note = auditNote(this.#call, key, name);
    try {
      const made = await work(service.engine);
      await note(OK, subject ?? idOf(made));
      return made;
    } catch (error) {
      const refusal = asRefusal(this.#call, error);
      // The request goes on to another replica, which notes it.
      if (!isMoved(refusal)) await note(refusal.status, subject ?? "");
      throw refusal;
    }
  }

  async otherWorkers(endpointId: string): Promise<readonly EndpointWorker[]> {
    this.#workers ??= this.#askForWorkers();
    return (await this.#workers).get(endpointId) ?? [];
  }

  async #askForWorkers() {
    const { others, dialect } = this.#call;
    const url = `${dialect.basePath}/v1/endpoints?includeWorkers=true`;
    const shares = (await others?.(url, keyText(this.#call))) ?? [];
    const endpoints = shares.flatMap((share) => share as readonly ListedEndpoint[]);
    const byId = Map.groupBy(endpoints, ({ id }) => id);
    return new Map([...byId].map(([id, all]) => [id, all.flatMap(({ workers = [] }) => workers)]));
  }

  #admit(need: Need | undefined): ApiKey {
    if (this.#key === undefined) throw noKey();
    checkOpens(this.#key, need);
    return this.#key;
  }
}

interface ListedEndpoint {
  readonly id: string;
  readonly workers?: readonly EndpointWorker[];
}

interface EndpointWorker {
  readonly id: string;
  readonly desiredStatus: string;
}

const OK = 200;

/** Older clients send the key in the query (live). */
function keyText({ request, query }: Call<unknown>): string | undefined {
  const { api_key: inQuery } = query;
  const text = bareKey(request.headers.authorization) ?? inQuery;
  return typeof text === "string" && text !== "" ? text : undefined;
}

function idOf(made: unknown): string {
  const isThing = typeof made === "object" && made !== null && "id" in made;
  return isThing && typeof made.id === "string" ? made.id : "";
}
