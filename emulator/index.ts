/** `sv-runtime/emulator`: the whole service in this process, for tests and for programs of one's own. */
export { type Emulator, type EmulatorOptions, startEmulator, type WorkerLine } from "./emulator.ts";
export type { EngineLog } from "./engine/context.ts";
export {
  type EndpointSettings,
  LOCAL_ENDPOINT_DEFAULTS,
  type LocalHandler,
} from "./local-endpoint.ts";
export type { S3Access } from "./objects/object-service.ts";
export { StoreFullError, StoreInUseError, StoreUnusableError } from "./store/store.ts";
