/** What the operations on resources have in common: how one is created, listed, read, changed and deleted over the interface. */
import { z } from "zod";
import { type Flags, parseFlags } from "../../../core/input/query-parameters.ts";
import type { ErrorCode } from "../../../core/service-error.ts";
import { jsonAnswer, NO_CONTENT } from "../../operation/answers/answer.ts";
import type { Call, Gather, Operation } from "../../operation/operation.ts";
import { readJsonBody } from "../../operation/requests/json-body.ts";
import { json, noContent, type Tag } from "../../schemas/contract.ts";
import type { HttpEngine } from "../../operation/service.ts";

/** A kind of resource. */
export interface Kind<Thing, Flag extends string> {
  readonly tag: Tag;
  /** Where all of them are; one is at its id below. */
  readonly path: string;
  /** The name of the path parameter that is its id. */
  readonly id: string;
  /** What the document calls one in answers, for example `The template`. */
  readonly name: string;
  readonly schema: z.ZodType;
  /** What reading and listing can be asked for. */
  readonly flags?: z.ZodObject<Readonly<Record<Flag, z.ZodType<boolean>>>>;
  /** Who answers for them where several replicas share a store; default: any. */
  readonly owner?: "service";
  /** How one is answered. */
  readonly show: (thing: Thing, call: Call<unknown>, flags: Flags<Flag>) => unknown;
}

type IdPath = Readonly<Record<string, string>>;

interface Writing {
  /** The schema of the body. */
  readonly takes: z.ZodType;
  readonly errors: readonly ErrorCode[];
}

/** Makes the operations on resources of one kind. */
export class Resource<Thing extends { readonly id: string }, Flag extends string = never> {
  readonly #kind: Kind<Thing, Flag>;
  readonly #pathOfOne: string;

  constructor(kind: Kind<Thing, Flag>) {
    this.#kind = kind;
    this.#pathOfOne = `${kind.path}/:${kind.id}`;
  }

  creation(
    { takes, errors }: Writing,
    create: (engine: HttpEngine, body: unknown) => Promise<Thing>,
  ): Operation {
    const { tag, path, name, schema, show } = this.#kind;
    return {
      methods: ["POST"],
      path,
      ...this.#ownerOfAll,
      body: "read",
      contract: { tag, takes, answers: { 200: json(`${name}.`, schema) }, errors },
      async perform(call) {
        const body = await readJsonBody(call.request, call.response);
        const thing = await create(call.service.engine, body);
        return { ...jsonAnswer(show(thing, call, {})), subject: thing.id };
      },
    };
  }

  /** @param order in which they are answered, a sentence @param gather where no replica alone knows all of it */
  listing(
    order: string,
    list: (engine: HttpEngine, flags: Flags<Flag>) => Promise<readonly Thing[]>,
    gather?: Gather,
  ): Operation {
    const { tag, path, schema, show } = this.#kind;
    return {
      methods: ["GET"],
      path,
      ...this.#ownerOfAll,
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
    const { tag, name, schema, show } = this.#kind;
    return {
      methods: ["GET"],
      path: this.#pathOfOne,
      ...this.#ownerOfOne,
      contract: { tag, ...this.#query, answers: { 200: json(`${name}.`, schema) }, errors },
      perform: async (call) => {
        const flags = this.#flagsOf(call);
        return jsonAnswer(show(await read(call.service.engine, this.#idOf(call)), call, flags));
      },
    };
  }

  change(
    { takes, errors }: Writing,
    change: (engine: HttpEngine, id: string, body: unknown) => Promise<Thing>,
  ): Operation<IdPath> {
    const { tag, name, schema, show } = this.#kind;
    return {
      methods: ["PATCH", "PUT"],
      path: this.#pathOfOne,
      ...this.#ownerOfOne,
      aliases: [{ methods: ["POST"], path: `${this.#pathOfOne}/update` }],
      body: "read",
      contract: { tag, takes, answers: { 200: json(`${name} as it is now.`, schema) }, errors },
      perform: async (call) => {
        const body = await readJsonBody(call.request, call.response);
        return jsonAnswer(
          show(await change(call.service.engine, this.#idOf(call), body), call, {}),
        );
      },
    };
  }

  /** @param gone what is gone then, a sentence */
  deletion(
    errors: readonly ErrorCode[],
    remove: (engine: HttpEngine, id: string) => Promise<void>,
    gone = "It is gone.",
  ): Operation<IdPath> {
    return {
      methods: ["DELETE"],
      path: this.#pathOfOne,
      ...this.#ownerOfOne,
      contract: { tag: this.#kind.tag, answers: { 204: noContent(gone) }, errors },
      perform: async (call) => {
        await remove(call.service.engine, this.#idOf(call));
        return NO_CONTENT;
      },
    };
  }

  get #ownerOfAll() {
    return { owner: this.#kind.owner ?? "any" } as const;
  }

  /** An endpoint in the path says it by itself. */
  get #ownerOfOne() {
    return this.#kind.id === "endpointId" ? {} : this.#ownerOfAll;
  }

  get #query() {
    return this.#kind.flags && { query: this.#kind.flags };
  }

  #flagsOf({ query }: Call<unknown>): Flags<Flag> {
    return this.#kind.flags ? parseFlags(query, this.#kind.flags) : {};
  }

  #idOf({ path }: Call<IdPath>): string {
    return path[this.#kind.id] ?? "";
  }
}
