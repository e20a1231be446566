/** `sv-runtime/emulator`: the whole service in this process, for tests and for your own programs. */
export { startEmulator } from "./emulator.ts";
export { DEFAULT_PRICES, type PriceTable } from "./core/billing/prices.ts";
export type { DeclaredGpus, GpuSetting } from "./core/workers/gpu-declaration.ts";
export type { Advance, ClockReading } from "./engine/time/advance-clock.ts";
export type { AttemptEnd } from "./core/observe/log/attempt-end.ts";
export type { HandlerTold } from "./engine/resources/endpoints/handler-schemas.ts";
export type { ExceededLimit } from "./core/limits/limit-report.ts";
export type { FunctionEndpoint, InProcessHandler } from "./handlers/function-endpoint.ts";
export type { LimitMode } from "./core/limits/rate-limit.ts";
export type { EngineLog } from "./engine/observe/engine-log.ts";
export {
  NameTakenError,
  type ServedRegistryAuth,
  type ServedResources,
  type ServedTemplate,
} from "./core/resources/endpoints/served-endpoint.ts";
export {
  type CommandEndpoint,
  type EndpointSettings,
  type ImageEndpoint,
  LOCAL_ENDPOINT_DEFAULTS,
  type LocalHandler,
} from "./handlers/local-endpoint.ts";
export type { FoundHandlers, HandlerSearch } from "./reload/reloader.ts";
export type { Emulator, EmulatorOptions, WorkerLine } from "./options.ts";
export type { S3Access } from "./objects/object-service.ts";
export type { EmulatorClock } from "./test-kit/emulator-clock.ts";
export type { EndpointHandle, EndpointQueue, WaitLimit } from "./test-kit/endpoint-handle.ts";
export type { JobRecord } from "./test-kit/job-record.ts";
export { NotIdleError } from "./test-kit/not-idle-error.ts";
export type { TestKit } from "./test-kit/test-kit.ts";
export type { WebhookDelivery } from "./test-kit/webhook-inbox.ts";
export { VolumeUnusableError } from "./volumes/volumes.ts";
export {
  moveDataDirectory,
  type MoveDataDirectoryOptions,
} from "./assembly/store/move-data-directory.ts";
export {
  rotateSecretKey,
  type RotateSecretKeyOptions,
} from "./assembly/store/rotate-secret-key.ts";
export type { KeptCounts } from "./store/move/kept-counts.ts";
export { repairDataDirectory, type RepairReport } from "./store/sqlite/repair/repair.ts";
export {
  StoreDamagedError,
  StoreFullError,
  StoreInUseError,
  StoreUnusableError,
} from "./core/store-error.ts";
