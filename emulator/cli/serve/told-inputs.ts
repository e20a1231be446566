/** What handlers take, as their workers tell it some time after the start. */
import type { HandlerSchemas, JsonSchema } from "../../../runtime/protocol/session.ts";

export class ToldInputs {
  /** Undefined: there is no schema, or none that can be told. */
  readonly #told = new Map<string, JsonSchema | undefined>();
  #look: () => void = () => undefined;

  note(endpointId: string, { input }: HandlerSchemas): void {
    this.#told.set(endpointId, input);
    this.#look();
  }

  /** Those of the endpoints once all have told something, or what is known after `limitMs`. */
  async of(
    endpointIds: readonly string[],
    limitMs: number,
  ): Promise<ReadonlyMap<string, JsonSchema>> {
    const all = Promise.withResolvers<void>();
    this.#look = () => {
      if (endpointIds.every((id) => this.#told.has(id))) all.resolve();
    };
    const limit = setTimeout(all.resolve, limitMs).unref();
    this.#look();
    await all.promise;
    clearTimeout(limit);
    const known = endpointIds.map((id) => [id, this.#told.get(id)] as const);
    return new Map(known.filter((entry): entry is [string, JsonSchema] => entry[1] !== undefined));
  }
}
