/** The engine as one part: the context of the use cases, the clock-driven rules and the workers, with a start and a stop. */
import type { Clock, Random } from "../core/clock.ts";
import type { Endpoint } from "../core/endpoint.ts";
import { DEFAULT_LEASE_TERMS, type LeaseTerms } from "../core/lease-terms.ts";
import type { Template } from "../core/template.ts";
import type { Launcher } from "../launch/launcher.ts";
import type { Store } from "../store/store.ts";
import { Alarm } from "./alarm.ts";
import { commit } from "./commit.ts";
import type { EngineContext, EngineLog } from "./context.ts";
import { EndpointDirectory } from "./endpoint-directory.ts";
import { expireDue } from "./expire.ts";
import { Fleet } from "./fleet.ts";
import { handBackOrphans } from "./hand-back.ts";
import { JobWatchers } from "./job-watchers.ts";
import { Standstill } from "./standstill.ts";
import { WorkerManager } from "./worker-manager.ts";

export interface EngineOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: EngineLog;
  readonly launchers: readonly Launcher[];
  /** Default: leases of 15 s, renewed every 5 s. */
  readonly lease?: LeaseTerms;
  /** Called with an endpoint that is no more; by default nobody wants to know. */
  readonly endpointDeleted?: (endpointId: string) => void;
}

/** An endpoint with the template its workers are made of. */
export interface ServedEndpoint {
  readonly template: Template;
  readonly endpoint: Endpoint;
}

export interface RunningEngine {
  readonly context: EngineContext;
  readonly workers: WorkerManager;
  /** Creates or replaces endpoints together with their templates. */
  serve(endpoints: readonly ServedEndpoint[]): Promise<void>;
  /** Begins to start workers and to apply what is due. */
  start(): void;
  /** Ends the workers and the clock-driven rules. */
  stop(how: "drain" | "kill"): Promise<void>;
}

/** Makes the engine on an open store: what an earlier run left in progress is put back into the queue. */
export async function createEngine(options: EngineOptions): Promise<RunningEngine> {
  const { store, clock, random, log, launchers, lease = DEFAULT_LEASE_TERMS } = options;
  const directory = new EndpointDirectory();
  await directory.load(store);
  const alarm = new Alarm(clock, () => {
    expireDue(context).catch((error: unknown) => {
      log.error({ err: error }, "what is due could not be applied; the next try is in a second");
      alarm.aim(clock.now() + 1_000);
    });
  });
  const context: EngineContext = {
    store,
    clock,
    random,
    log,
    lease,
    standstill: new Standstill(clock, lease, log),
    directory,
    alarm,
    fleet: new Fleet(),
    watchers: new JobWatchers(),
    endpointChanged: (endpointId) => workers.consider(endpointId),
    endpointDeleted: options.endpointDeleted ?? (() => undefined),
  };
  const workers: WorkerManager = new WorkerManager(context, launchers);
  await handBackOrphans(context);
  return {
    context,
    workers,
    serve: (endpoints) => serve(context, endpoints),
    start() {
      workers.start();
      alarm.aim(clock.now());
    },
    async stop(how) {
      await workers.stop(how);
      alarm.stop();
    },
  };
}

async function serve(context: EngineContext, served: readonly ServedEndpoint[]): Promise<void> {
  const { directory } = context;
  // An endpoint that an earlier run served already keeps its age.
  const endpoints = served.map(({ template, endpoint }) => {
    const createdAt = directory.findEndpoint(endpoint.id)?.createdAt ?? endpoint.createdAt;
    return { template, endpoint: { ...endpoint, createdAt } };
  });
  await commit(context, async (tx) => {
    for (const { template, endpoint } of endpoints) {
      await tx.putRecord("template", template.id, template);
      await tx.putRecord("endpoint", endpoint.id, endpoint);
    }
  });
  for (const { template, endpoint } of endpoints) {
    directory.keepTemplate(template);
    directory.keepEndpoint(endpoint);
  }
}
