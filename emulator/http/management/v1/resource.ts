/** What operations on resources share in the first version of REST: creation, lists, reading and changes. */
import { z } from "zod";
import { type Flags, parseFlags } from "../../../core/input/query-parameters.ts";
import type { ErrorCode } from "../../../core/service-error.ts";
import { jsonAnswer } from "../../operation/answers/answer.ts";
import type { Call, Gather, Operation } from "../../operation/operation.ts";
import { readJsonBody } from "../../operation/requests/json-body.ts";
import { json } from "../../schemas/contract.ts";
import type { HttpEngine } from "../../operation/service.ts";
import {
  type IdPath,
  type ResourceKind,
  ResourceOperations,
  type Writing,
} from "../resource-operations.ts";

interface Kind<Thing, Flag extends string> extends ResourceKind {
  /** Flags of reading and listing. */
  readonly flags?: z.ZodObject<Readonly<Record<Flag, z.ZodType<boolean>>>>;
  readonly show: (thing: Thing, call: Call<unknown>, flags: Flags<Flag>) => unknown;
}

export class Resource<
  Thing extends { readonly id: string },
  Flag extends string = never,
> extends ResourceOperations<Kind<Thing, Flag>> {
  creation(
    { takes, errors }: Writing,
    create: (engine: HttpEngine, body: unknown) => Promise<Thing>,
  ): Operation {
    const { tag, name, schema, show } = this.kind;
    return {
      methods: ["POST"],
      ...this.atAll,
      body: "read",
      contract: { tag, takes, answers: { 200: json(`${name}.`, schema) }, errors },
      async perform(call) {
        const body = await readJsonBody(call.request, call.response);
        const thing = await create(call.service.engine, body);
        return { ...jsonAnswer(show(thing, call, {})), subject: thing.id };
      },
    };
  }

  /**
   * @param order a sentence about the order of the answer
   * @param gather merges the shares of replicas, if no single one knows all resources
   */
  listing(
    order: string,
    list: (engine: HttpEngine, flags: Flags<Flag>) => Promise<readonly Thing[]>,
    gather?: Gather,
  ): Operation {
    const { tag, schema, show } = this.kind;
    return {
      methods: ["GET"],
      ...this.atAll,
      ...(gather && { gather }),
      contract: { tag, ...this.#query, answers: { 200: json(order, z.array(schema)) } },
      perform: async (call) => {
        const flags = this.#flagsOf(call);
        const things = await list(call.service.engine, flags);
        return jsonAnswer(things.map((thing) => show(thing, call, flags)));
      },
    };
  }

  reading(
    errors: readonly ErrorCode[],
    read: (engine: HttpEngine, id: string) => Promise<Thing>,
  ): Operation<IdPath> {
    const { tag, name, schema, show } = this.kind;
    return {
      methods: ["GET"],
      ...this.atOne,
      contract: { tag, ...this.#query, answers: { 200: json(`${name}.`, schema) }, errors },
      perform: async (call) => {
        const flags = this.#flagsOf(call);
        return jsonAnswer(show(await read(call.service.engine, this.idOf(call)), call, flags));
      },
    };
  }

  change(
    { takes, errors }: Writing,
    change: (engine: HttpEngine, id: string, body: unknown) => Promise<Thing>,
  ): Operation<IdPath> {
    const { tag, name, schema, show } = this.kind;
    return {
      methods: ["PATCH", "PUT"],
      ...this.atOne,
      aliases: [{ methods: ["POST"], path: `${this.atOne.path}/update` }],
      body: "read",
      contract: { tag, takes, answers: { 200: json(`${name} after the change.`, schema) }, errors },
      perform: async (call) => {
        const body = await readJsonBody(call.request, call.response);
        return jsonAnswer(show(await change(call.service.engine, this.idOf(call), body), call, {}));
      },
    };
  }

  get #query() {
    return this.kind.flags && { query: this.kind.flags };
  }

  #flagsOf({ query }: Call<unknown>): Flags<Flag> {
    return this.kind.flags ? parseFlags(query, this.kind.flags) : {};
  }
}
