/** An order for a worker in a container, and its places. */
import type { WorkerOrder } from "../../../../emulator/launch/launcher.ts";
import type { Template } from "../../../../emulator/core/resources/templates/template.ts";
import type { Endpoint } from "../../../../emulator/core/resources/endpoints/endpoint.ts";
import type { ContainerPlaces } from "../../../../emulator/launch/docker/containers/container-options.ts";
import { orderOf, templateNamed } from "../../../contract/launcher/subject.ts";

export const SOCKET = "/run/here.sock";

export const PLACES: ContainerPlaces = {
  worker: { socket: SOCKET },
  volume: undefined,
  env: { SV_S3_BUCKET: "e" },
  user: "1000:1000",
};

export function containerOrder(
  template: Partial<Template> = {},
  endpoint: Partial<Endpoint> = {},
): WorkerOrder {
  return orderOf({ ...templateNamed("some/image:1"), ...template }, endpoint);
}
