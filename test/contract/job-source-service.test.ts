/** All job sources keep the contract with their services. */
import {
  overGrpc,
  startEngineService,
  withinTheProcess,
} from "./job-source-service/engine-service.ts";
import { overLiveHttp } from "./job-source-service/live-http.ts";
import { startQueueService } from "./job-source-service/queue-service.ts";
import { jobSourceServiceContract } from "./job-source-service.contract.ts";

jobSourceServiceContract("gRPC to the engine", () => startEngineService(overGrpc));
jobSourceServiceContract("a line to the engine of the same process", () =>
  startEngineService(withinTheProcess),
);
jobSourceServiceContract("HTTP to the engine", () => startEngineService(overLiveHttp));
jobSourceServiceContract("HTTP to a live queue", startQueueService);
