/** Workers that outlived the process that started them: those of owned endpoints are adopted. */
import type { Launcher, OutlivingWorkers, WorkerExit } from "../../launch/launcher.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { WorkerPort } from "./worker-port.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";
import type { WakePort } from "../steps/wake-port.ts";
import type { WorkerHandle } from "./worker-handle.ts";
import type { WorkerStarter } from "./worker-starter.ts";
import type { FormerToken } from "./worker-tokens.ts";

type RecoverUses = StepPort & WorkerPort & CatalogPort & WakePort;

export interface RecoveredWorkersOptions {
  readonly launchers: readonly Launcher[];
  readonly starter: Pick<WorkerStarter, "adopt">;
  readonly ended: (worker: WorkerHandle, exit: WorkerExit) => Promise<void>;
}

export class RecoveredWorkers {
  readonly #engine: RecoverUses;
  readonly #parts: RecoveredWorkersOptions;
  readonly #outliving: readonly OutlivingWorkers[];

  constructor(engine: RecoverUses, parts: RecoveredWorkersOptions) {
    this.#engine = engine;
    this.#parts = parts;
    this.#outliving = parts.launchers.flatMap(({ outliving }) => outliving ?? []);
    if (this.#outliving.length > 0) engine.tokens.knowFormer((digest) => this.#ofToken(digest));
  }

  /** Adopts all that were found. */
  adopt(): void {
    const { directory, endpointChanged, fleet, ownership } = this.#engine;
    const { starter, ended } = this.#parts;
    for (const outliving of this.#outliving) {
      for (const found of outliving.found()) {
        const endpoint = directory.findEndpoint(found.endpointId);
        const isOurs = endpoint !== undefined && ownership.holds(endpoint.id);
        if (!isOurs || fleet.find(found.workerId) !== undefined) continue;
        starter.adopt(outliving, found, endpoint, ended);
        endpointChanged(endpoint.id);
      }
    }
  }

  /** Whether the worker was found, or may still be found. */
  mayCome(workerId: string): boolean {
    const isUnknown = this.#outliving.some(({ problem }) => problem !== undefined);
    return isUnknown || this.#engine.fleet.find(workerId) !== undefined;
  }

  #ofToken(digest: string): FormerToken | undefined {
    const all = this.#outliving.flatMap((outliving) => outliving.found());
    const found = all.find(({ tokenDigest }) => tokenDigest === digest);
    this.adopt();
    if (found !== undefined) return { endpointId: found.endpointId };
    const problem = this.#outliving.find((outliving) => outliving.problem !== undefined)?.problem;
    return problem === undefined ? undefined : { problem };
  }
}
