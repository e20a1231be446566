/** Endpoints, templates and network volumes in the store; every request needs them. */
import type { Endpoint } from "../../core/resources/endpoints/endpoint.ts";
import type { NetworkVolume } from "../../core/resources/network-volumes/network-volume.ts";
import { ServiceError } from "../../core/service-error.ts";
import type { Template } from "../../core/resources/templates/template.ts";
import type { RecordView } from "../steps/state/record-book.ts";

export class Directory {
  readonly #stored: RecordView;
  /** Endpoints that are being deleted. */
  readonly #leaving = new Set<string>();

  constructor(stored: RecordView) {
    this.#stored = stored;
  }

  endpoints(): readonly Endpoint[] {
    return this.#stored.all("endpoint").filter(({ id }) => !this.#leaving.has(id));
  }

  endpointIds(): ReadonlySet<string> {
    return new Set(this.endpoints().map(({ id }) => id));
  }

  templates(): readonly Template[] {
    return this.#stored.all("template");
  }

  volumes(): readonly NetworkVolume[] {
    return this.#stored.all("networkVolume");
  }

  findEndpoint(id: string): Endpoint | undefined {
    return this.#leaving.has(id) ? undefined : this.#stored.find("endpoint", id);
  }

  findTemplate(id: string): Template | undefined {
    return this.#stored.find("template", id);
  }

  findVolume(id: string): NetworkVolume | undefined {
    return this.#stored.find("networkVolume", id);
  }

  /** @throws ServiceError endpoint_not_found */
  endpoint(id: string): Endpoint {
    const endpoint = this.findEndpoint(id);
    if (!endpoint) throw endpointNotFound(id);
    return endpoint;
  }

  /** An endpoint with a queue. @throws ServiceError endpoint_not_found, wrong_endpoint_type */
  queue(id: string): Endpoint {
    const endpoint = this.endpoint(id);
    if (endpoint.type !== "LOAD_BALANCING") return endpoint;
    throw new ServiceError(
      "wrong_endpoint_type",
      `the endpoint "${id}" has no queue, its type is LOAD_BALANCING: send requests to its servers, at /lb/${id}/…`,
    );
  }

  /** An endpoint with HTTP servers. @throws ServiceError endpoint_not_found, wrong_endpoint_type */
  balanced(id: string): Endpoint {
    const endpoint = this.endpoint(id);
    if (endpoint.type === "LOAD_BALANCING") return endpoint;
    throw new ServiceError(
      "wrong_endpoint_type",
      `the endpoint "${id}" has no servers, its type is QUEUE: send jobs to it, at /v2/${id}/run`,
    );
  }

  /** @throws ServiceError template_not_found */
  template(id: string): Template {
    const template = this.findTemplate(id);
    if (!template) throw templateNotFound(id);
    return template;
  }

  /** @throws ServiceError network_volume_not_found */
  volume(id: string): NetworkVolume {
    const volume = this.findVolume(id);
    if (!volume) throw volumeNotFound(id);
    return volume;
  }

  /** Hides an endpoint that is being deleted. Dispose of the result when the endpoint is deleted, or if it stays. */
  leaving(id: string): Disposable {
    this.#leaving.add(id);
    return { [Symbol.dispose]: () => void this.#leaving.delete(id) };
  }
}

export function endpointNotFound(id: string): ServiceError {
  return new ServiceError("endpoint_not_found", `there is no endpoint "${id}"`);
}

export function templateNotFound(id: string): ServiceError {
  return new ServiceError("template_not_found", `there is no template "${id}"`);
}

export function volumeNotFound(id: string): ServiceError {
  return new ServiceError("network_volume_not_found", `there is no network volume "${id}"`);
}
