/** Admits sessions: workers of the service by their own tokens, workers from elsewhere by keys of their endpoints. */
import { keyInToken } from "../../runtime/protocol/environment/worker-token.ts";
import type { ApiKey } from "../core/access/api-key.ts";
import type { KeyRing } from "../core/access/key-ring.ts";
import { checkOpens } from "../core/access/key-scope.ts";
import { ServiceError } from "../core/service-error.ts";
import { externalId } from "../core/workers/external-id.ts";
import type { StepPort } from "../engine/steps/step-port.ts";
import type { TimePort } from "../engine/time/time-port.ts";
import type { WorkerPort } from "../engine/workers/worker-port.ts";
import type { TellPort } from "../engine/observe/tell-port.ts";
import type { CatalogPort } from "../engine/resources/catalog-port.ts";
import { registerExternal } from "../engine/workers/external/external-workers.ts";
import type { WorkerHandle } from "../engine/workers/worker-handle.ts";
import { RefusalLog } from "../net/refusal-log.ts";
import type { Ownership } from "../store/ownership.ts";
import { type Status, STATUS } from "./status.ts";

/** The decision about a session. */
export type Admission =
  | { readonly worker: WorkerHandle }
  /** Another replica has the endpoint; the address of its worker port. */
  | { readonly redirect: string }
  | { readonly code: Status; readonly reason: string };

/** The caller of a session, from the metadata of the call. */
export interface Caller {
  readonly token: string;
  /** The id that a worker has in all its sessions. */
  readonly instance: string | undefined;
  /** Its address. */
  readonly peer: string;
}

export interface AdmissionParts {
  readonly engine: StepPort & TimePort & WorkerPort & TellPort & CatalogPort;
  readonly keys: KeyRing;
  /** Undefined if no other replica shares the store. */
  readonly ownership: Ownership | undefined;
}

/** Form of an instance id. Shorter ids could be guessed. */
const INSTANCE_PATTERN = /^[\w-]{16,128}$/u;

const UNKNOWN_TOKEN = "the worker token is missing or not valid (any more)";

const IS_MOVING = "the endpoint is moving to another emulator of the same store";

const { NOT_FOUND, PERMISSION_DENIED, UNAUTHENTICATED, UNAVAILABLE } = STATUS;

/** Admits only workers that the service started. */
export function admitStarted({ tokens }: WorkerPort): (caller: Caller) => Admission {
  return ({ token }) => {
    const worker = tokens.find(keyInToken(token));
    return worker === undefined ? refusal(UNAUTHENTICATED, UNKNOWN_TOKEN) : { worker };
  };
}

export class WorkerAdmission {
  readonly #parts: AdmissionParts;
  readonly #refusals: RefusalLog;
  #refreshing: Promise<void> | undefined;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
    const { log } = parts.engine;
    this.#refusals = new RefusalLog((fields, sentence) => log.warn(fields, sentence));
  }

  /** Decides about a caller. Refusals are logged with their reason. */
  async admit(caller: Caller): Promise<Admission> {
    const started = this.#parts.engine.tokens.find(keyInToken(caller.token));
    if (started !== undefined) return { worker: started };
    const admission = await this.#admitExternal(caller).catch(refusalOf);
    if ("code" in admission && admission.code !== UNAVAILABLE) {
      const { peer } = caller;
      const { reason } = admission;
      // A reason contains names of existing keys and endpoints only, never input of a peer.
      this.#refusals.say(reason, { peer, reason }, `a worker was refused: ${reason}`);
    }
    return admission;
  }

  async #admitExternal({ token, instance }: Caller): Promise<Admission> {
    const { engine, keys } = this.#parts;
    const key = keys.findGood(token) ?? (await this.#findFresh(token));
    if (key === undefined)
      return this.#admitFormer(keyInToken(token)) ?? refusal(UNAUTHENTICATED, UNKNOWN_TOKEN);
    const [endpointId = ""] = key.endpointIds ?? [];
    checkOpens(key, { part: "workers", reads: false, endpointId });
    if (instance === undefined || !INSTANCE_PATTERN.test(instance))
      return refusal(
        PERMISSION_DENIED,
        "the metadata worker-instance must be 16 to 128 letters, digits, - or _",
      );
    engine.directory.queue(endpointId);
    const elsewhere = this.#elsewhere(endpointId);
    if (elsewhere !== undefined) return elsewhere;
    const workerId = externalId(endpointId, instance);
    return { worker: registerExternal(engine, { endpointId, workerId }, key.id) };
  }

  /** Admission of a worker that another replica or a former process started. Undefined if there is no such worker. */
  #admitFormer(token: string): Admission | undefined {
    const { tokens } = this.#parts.engine;
    const former = tokens.findFormer(token);
    const worker = tokens.find(token);
    if (worker !== undefined) return { worker };
    if (former === undefined) return undefined;
    if ("problem" in former) return refusal(UNAVAILABLE, former.problem);
    return this.#elsewhere(former.endpointId) ?? refusal(UNAVAILABLE, IS_MOVING);
  }

  /** A key that another replica made a moment ago. Only one search runs at a time. */
  async #findFresh(token: string): Promise<ApiKey | undefined> {
    this.#refreshing ??= this.#parts.engine.ownership.refreshRecords().finally(() => {
      this.#refreshing = undefined;
    });
    await this.#refreshing;
    return this.#parts.keys.findGood(token);
  }

  /** Undefined if this replica has the endpoint. */
  #elsewhere(endpointId: string): Admission | undefined {
    const { engine, ownership } = this.#parts;
    if (ownership === undefined || engine.ownership.owns(endpointId)) return undefined;
    const owner = ownership.ownerOf(endpointId);
    if (owner === undefined || owner.id === ownership.self.id)
      return refusal(UNAVAILABLE, IS_MOVING);
    if (owner.workerAddress !== undefined) return { redirect: owner.workerAddress };
    return refusal(
      UNAVAILABLE,
      `the emulator that has the endpoint (${owner.id}) has no port for workers`,
    );
  }
}

function refusal(code: Status, reason: string): Admission {
  return { code, reason };
}

function refusalOf(error: unknown): Admission {
  if (!(error instanceof ServiceError))
    return refusal(UNAVAILABLE, error instanceof Error ? error.message : String(error));
  switch (error.code) {
    case "endpoint_not_found":
      return refusal(NOT_FOUND, error.message);
    case "insufficient_scope":
    case "wrong_endpoint_type":
      return refusal(PERMISSION_DENIED, error.message);
    case "key_expired":
    case "unauthorized":
      return refusal(UNAUTHENTICATED, error.message);
    default:
      return refusal(UNAVAILABLE, error.message);
  }
}
