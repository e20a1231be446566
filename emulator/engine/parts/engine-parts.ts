/** The parts of the engine, by port. A use case takes the ports that it needs. */
import type { HistoryPort, TellPort } from "../observe/tell-port.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";
import type { SecretPort } from "../resources/secret-box.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WorkerPort } from "../workers/worker-port.ts";
import type { LimitPort } from "../limits/bytes-in-flight.ts";
import type { PodPort } from "../pods/pod-run.ts";
import type { WakePort } from "../steps/wake-port.ts";

export type EngineContext = StepPort &
  TimePort &
  WorkerPort &
  TellPort &
  HistoryPort &
  CatalogPort &
  SecretPort &
  LimitPort &
  PodPort &
  WakePort;
