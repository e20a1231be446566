/** The parts of the engine, by port. A use case takes the ports that it needs. */
import type { HistoryPort, TellPort } from "../observe/tell-port.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";
import type { SecretPort } from "../resources/secret-box.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WorkerPort } from "../workers/worker-port.ts";
import type { MachinePort } from "./machine-port.ts";
import type { WakePort } from "./wake-port.ts";

export type EngineContext = StepPort &
  TimePort &
  WorkerPort &
  TellPort &
  HistoryPort &
  CatalogPort &
  SecretPort &
  MachinePort &
  WakePort;
