/** Endpoints and templates as last committed, in memory because every request needs them. */
import type { Endpoint } from "../../core/resources/endpoint.ts";
import { ServiceError } from "../../core/service-error.ts";
import type { Template } from "../../core/resources/template.ts";
import type { Store } from "../../store/store.ts";

export class EndpointDirectory {
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #templates = new Map<string, Template>();

  /** Loads everything from the store. */
  static async load(store: Store): Promise<EndpointDirectory> {
    const [endpoints, templates] = await store.read(
      async (view) => [await view.records("endpoint"), await view.records("template")] as const,
    );
    const directory = new EndpointDirectory();
    // Endpoints that were stored before there were types have none.
    for (const endpoint of endpoints)
      directory.keepEndpoint({ ...endpoint, type: endpoint.type ?? "QUEUE" });
    for (const template of templates) directory.keepTemplate(template);
    return directory;
  }

  endpoints(): readonly Endpoint[] {
    return [...this.#endpoints.values()];
  }

  endpointIds(): ReadonlySet<string> {
    return new Set(this.#endpoints.keys());
  }

  templates(): readonly Template[] {
    return [...this.#templates.values()];
  }

  findEndpoint(id: string): Endpoint | undefined {
    return this.#endpoints.get(id);
  }

  findTemplate(id: string): Template | undefined {
    return this.#templates.get(id);
  }

  /** @throws ServiceError endpoint_not_found */
  endpoint(id: string): Endpoint {
    const endpoint = this.#endpoints.get(id);
    if (!endpoint) throw endpointNotFound(id);
    return endpoint;
  }

  /** An endpoint whose jobs go through a queue. @throws ServiceError endpoint_not_found, wrong_endpoint_type */
  queue(id: string): Endpoint {
    const endpoint = this.endpoint(id);
    if (endpoint.type !== "LOAD_BALANCING") return endpoint;
    throw new ServiceError(
      "wrong_endpoint_type",
      `the endpoint "${id}" has no queue, its type is LOAD_BALANCING: send requests to its servers, at /lb/${id}/…`,
    );
  }

  /** An endpoint whose workers are HTTP servers. @throws ServiceError endpoint_not_found, wrong_endpoint_type */
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
    const template = this.#templates.get(id);
    if (!template) throw templateNotFound(id);
    return template;
  }

  /** Call it after the commit that stored it. */
  keepEndpoint(endpoint: Endpoint): void {
    this.#endpoints.set(endpoint.id, endpoint);
  }

  /** Like `keepEndpoint`, but leaves an endpoint that is being deleted dropped. */
  replaceEndpoint(endpoint: Endpoint): void {
    if (this.#endpoints.has(endpoint.id)) this.#endpoints.set(endpoint.id, endpoint);
  }

  keepTemplate(template: Template): void {
    this.#templates.set(template.id, template);
  }

  dropEndpoint(id: string): void {
    this.#endpoints.delete(id);
  }

  dropTemplate(id: string): void {
    this.#templates.delete(id);
  }
}

export function endpointNotFound(id: string): ServiceError {
  return new ServiceError("endpoint_not_found", `there is no endpoint "${id}"`);
}

export function templateNotFound(id: string): ServiceError {
  return new ServiceError("template_not_found", `there is no template "${id}"`);
}
