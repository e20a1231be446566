/** The gRPC job source keeps the contract of all job sources. */
import { startGrpcService } from "./job-source/grpc-service.ts";
import { decodes } from "./job-source/reconnecting.ts";
import { jobSourceContract } from "./job-source.contract.ts";

jobSourceContract("gRPC", startGrpcService);
decodes(startGrpcService);
