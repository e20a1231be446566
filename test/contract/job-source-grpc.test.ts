/** The job source of the service, over gRPC and in frames, keeps the contract of all job sources. */
import { startFrameService, startGrpcService } from "./job-source/wire-service.ts";
import { decodes } from "./job-source/reconnecting.ts";
import { jobSourceContract } from "./job-source.contract.ts";

jobSourceContract("gRPC", startGrpcService);
decodes(startGrpcService);

jobSourceContract("frames", startFrameService);
decodes(startFrameService);
