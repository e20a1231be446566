/** What the operations on things of one kind have in common in the second version of REST: its statuses, lists and bodies (live). */
import { z } from "zod";
import type { ErrorCode } from "../../../core/service-error.ts";
import { jsonAnswer, NO_CONTENT } from "../../operation/answers/answer.ts";
import type { Call, Gather, Operation } from "../../operation/operation.ts";
import { json, noContent, type Tag } from "../../schemas/contract.ts";
import { type FieldNames, inNames } from "../../operation/requests/field-names.ts";
import { pageOf, pageParameters, paginationSchema, type PlaceInList } from "./page.ts";
import { readBodyV2 } from "./read-closed.ts";

export interface CollectionKind<Thing> {
  readonly tag: Tag;
  /** Where all of them are, for example `/v2/templates`; one is at its id below. */
  readonly path: string;
  /** The name of the path parameter that is its id. */
  readonly id: string;
  /** The key of the array in a list, for example `templates`. */
  readonly list: string;
  /** What the document calls one in answers, for example `The template`. */
  readonly name: string;
  readonly schema: z.ZodType;
  /** Who answers for them where several replicas share a store; default: any, and who has the endpoint in the path. */
  readonly owner?: "service";
  /** Where one stands in lists. */
  readonly placeOf: (thing: Thing) => PlaceInList;
  /** What fields are called that use cases refuse under the names of the first version; default: nothing else. */
  readonly names?: FieldNames;
  /** How one is answered. */
  readonly show: (thing: Thing, call: Call<unknown>) => unknown;
}

type IdPath = Readonly<Record<string, string>>;

interface Writing<Input> {
  /** The schema of the body, closed. */
  readonly takes: z.ZodType<Input>;
  readonly errors: readonly ErrorCode[];
}

/** Makes the operations on things of one kind. */
export class Collection<Thing extends { readonly id: string }> {
  readonly #kind: CollectionKind<Thing>;

  constructor(kind: CollectionKind<Thing>) {
    this.#kind = kind;
  }

  /** `POST` at all of them: 201 with what was made. */
  creation<Input>(
    { takes, errors }: Writing<Input>,
    create: (call: Call<unknown>, input: Input) => Promise<Thing>,
  ): Operation {
    const { tag, path, name, schema, show, names = {} } = this.#kind;
    return {
      methods: ["POST"],
      path,
      ...this.#ownerOfAll,
      body: "read",
      contract: {
        tag,
        takes,
        answers: { 201: json(`${name}.`, schema) },
        errors: ["unprocessable", ...errors],
      },
      async perform(call) {
        const input = await readBodyV2(call, takes);
        const thing = await inNames(names, () => create(call, input));
        return { ...jsonAnswer(show(thing, call)), status: 201, subject: thing.id };
      },
    };
  }

  /** `GET` at all of them: a page, the newest first. @param gather where no replica alone knows all of it */
  listing(list: (call: Call<unknown>) => Promise<readonly Thing[]>, gather?: Gather): Operation {
    const { tag, path, schema, show, placeOf, list: key } = this.#kind;
    const page = z.strictObject({ [key]: z.array(schema), pagination: paginationSchema });
    return {
      methods: ["GET"],
      path,
      ...this.#ownerOfAll,
      ...(gather && { gather }),
      contract: {
        tag,
        query: z.object(pageParameters),
        answers: { 200: json("A page, the newest first.", page) },
        errors: ["unprocessable"],
      },
      async perform(call) {
        const { shown, pagination } = pageOf(await list(call), call.query, placeOf);
        return jsonAnswer({ [key]: shown.map((thing) => show(thing, call)), pagination });
      },
    };
  }

  /** `GET` of one. */
  reading(
    errors: readonly ErrorCode[],
    read: (call: Call<unknown>, id: string) => Promise<Thing>,
  ): Operation<IdPath> {
    const { tag, name, schema, show } = this.#kind;
    return {
      methods: ["GET"],
      path: this.#pathOfOne,
      ...this.#ownerOfOne,
      contract: { tag, answers: { 200: json(`${name}.`, schema) }, errors },
      perform: async (call) => jsonAnswer(show(await read(call, this.#idOf(call)), call)),
    };
  }

  /** `PATCH` of one: what the body does not name stays as it is. */
  change<Input>(
    { takes, errors }: Writing<Input>,
    change: (call: Call<unknown>, id: string, input: Input) => Promise<Thing>,
  ): Operation<IdPath> {
    const { tag, name, schema, show, names = {} } = this.#kind;
    return {
      methods: ["PATCH"],
      path: this.#pathOfOne,
      ...this.#ownerOfOne,
      body: "read",
      contract: {
        tag,
        takes,
        answers: { 200: json(`${name} as it is now.`, schema) },
        errors: ["unprocessable", ...errors],
      },
      perform: async (call) => {
        const input = await readBodyV2(call, takes);
        const thing = await inNames(names, () => change(call, this.#idOf(call), input));
        return jsonAnswer(show(thing, call));
      },
    };
  }

  /** `DELETE` of one: 204. @param gone what is gone then, a sentence */
  deletion(
    errors: readonly ErrorCode[],
    remove: (call: Call<unknown>, id: string) => Promise<void>,
    gone = "It is gone.",
  ): Operation<IdPath> {
    return {
      methods: ["DELETE"],
      path: this.#pathOfOne,
      ...this.#ownerOfOne,
      contract: { tag: this.#kind.tag, answers: { 204: noContent(gone) }, errors },
      perform: async (call) => {
        await remove(call, this.#idOf(call));
        return NO_CONTENT;
      },
    };
  }

  get #pathOfOne() {
    return `${this.#kind.path}/:${this.#kind.id}`;
  }

  get #ownerOfAll() {
    return { owner: this.#kind.owner ?? "any" } as const;
  }

  /** An endpoint in the path says it by itself. */
  get #ownerOfOne() {
    return this.#kind.id === "endpointId" ? {} : this.#ownerOfAll;
  }

  #idOf({ path }: Call<IdPath>): string {
    return path[this.#kind.id] ?? "";
  }
}
