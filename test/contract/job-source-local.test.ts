/** The job source of a worker within the service's process keeps the contract of all job sources. */
import { startLocalService } from "./job-source/local-service.ts";
import { jobSourceContract } from "./job-source.contract.ts";

jobSourceContract("a line within the process", startLocalService);
