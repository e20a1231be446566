/** Endpoints and templates as last committed, held in memory because every request asks for them. */
import type { Endpoint } from "../core/endpoint.ts";
import { ServiceError } from "../core/service-error.ts";
import type { Template } from "../core/template.ts";
import type { Store } from "../store/store.ts";

export class EndpointDirectory {
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #templates = new Map<string, Template>();

  /** Reads everything from the store; to be called once before use. */
  async load(store: Store): Promise<void> {
    const [endpoints, templates] = await store.read(
      async (view) => [await view.records("endpoint"), await view.records("template")] as const,
    );
    for (const endpoint of endpoints) this.#endpoints.set(endpoint.id, endpoint);
    for (const template of templates) this.#templates.set(template.id, template);
  }

  endpoints(): readonly Endpoint[] {
    return [...this.#endpoints.values()];
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
    if (!endpoint) throw new ServiceError("endpoint_not_found", `there is no endpoint "${id}"`);
    return endpoint;
  }

  /** @throws ServiceError template_not_found */
  template(id: string): Template {
    const template = this.#templates.get(id);
    if (!template) throw new ServiceError("template_not_found", `there is no template "${id}"`);
    return template;
  }

  /** To be called after the commit that stored it. */
  keepEndpoint(endpoint: Endpoint): void {
    this.#endpoints.set(endpoint.id, endpoint);
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
