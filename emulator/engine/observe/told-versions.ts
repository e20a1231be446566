/** Remembers for which version of an endpoint a hint was logged, so that each version has one at most. */

/** Maximum number of endpoints. The oldest are dropped, and may be told again. */
const MAX_ENDPOINTS = 1_000;

interface Version {
  readonly endpointId: string;
  readonly endpointVersion: number;
}

export class ToldVersions {
  readonly #told = new Map<string, number>();

  has({ endpointId, endpointVersion }: Version): boolean {
    return this.#told.get(endpointId) === endpointVersion;
  }

  add({ endpointId, endpointVersion }: Version): void {
    this.#told.delete(endpointId);
    this.#told.set(endpointId, endpointVersion);
    const [oldest] = this.#told.keys();
    if (this.#told.size > MAX_ENDPOINTS && oldest !== undefined) this.#told.delete(oldest);
  }
}
