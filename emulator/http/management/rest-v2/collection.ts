/** What operations on resources share in the second version of REST: statuses, lists and bodies (live). */
import { z } from "zod";
import type { ErrorCode } from "../../../core/service-error.ts";
import { jsonAnswer } from "../../operation/answers/answer.ts";
import type { Call, Gather, Operation } from "../../operation/operation.ts";
import { json } from "../../schemas/contract.ts";
import { type FieldNames, inNames } from "../../operation/requests/field-names.ts";
import {
  type IdPath,
  type ResourceKind,
  ResourceOperations,
  type Writing,
} from "../resource-operations.ts";
import { pageOf, pageParameters, paginationSchema, type PlaceInList } from "./page.ts";
import { readBodyV2 } from "./read-closed.ts";

interface Kind<Thing> extends ResourceKind {
  /** Key of the array in a list, for example `templates`. */
  readonly list: string;
  readonly placeOf: (thing: Thing) => PlaceInList;
  /** Names of fields in messages of use cases, where they differ from the first version. Default: the same. */
  readonly names?: FieldNames;
  readonly show: (thing: Thing, call: Call<unknown>) => unknown;
}

export class Collection<Thing extends { readonly id: string }> extends ResourceOperations<
  Kind<Thing>
> {
  /** `POST` to the collection: 201 with the new resource. */
  creation<Input>(
    { takes, errors }: Writing<Input>,
    create: (call: Call<unknown>, input: Input) => Promise<Thing>,
  ): Operation {
    const { tag, name, schema, show, names = {} } = this.kind;
    return {
      methods: ["POST"],
      ...this.atAll,
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

  /**
   * `GET` of the collection: a page, newest first.
   * @param gather merges the shares of replicas, if no single one knows all resources
   */
  listing(list: (call: Call<unknown>) => Promise<readonly Thing[]>, gather?: Gather): Operation {
    const { tag, schema, show, placeOf, list: key } = this.kind;
    const page = z.strictObject({ [key]: z.array(schema), pagination: paginationSchema });
    return {
      methods: ["GET"],
      ...this.atAll,
      ...(gather && { gather }),
      contract: {
        tag,
        query: z.object(pageParameters),
        answers: { 200: json("A page, newest first.", page) },
        errors: ["unprocessable"],
      },
      async perform(call) {
        const { shown, pagination } = pageOf(await list(call), call.query, placeOf);
        return jsonAnswer({ [key]: shown.map((thing) => show(thing, call)), pagination });
      },
    };
  }

  reading(
    errors: readonly ErrorCode[],
    read: (call: Call<unknown>, id: string) => Promise<Thing>,
  ): Operation<IdPath> {
    const { tag, name, schema, show } = this.kind;
    return {
      methods: ["GET"],
      ...this.atOne,
      contract: { tag, answers: { 200: json(`${name}.`, schema) }, errors },
      perform: async (call) => jsonAnswer(show(await read(call, this.idOf(call)), call)),
    };
  }

  /** `PATCH` of one resource: fields that the body does not name stay unchanged. */
  change<Input>(
    { takes, errors }: Writing<Input>,
    change: (call: Call<unknown>, id: string, input: Input) => Promise<Thing>,
  ): Operation<IdPath> {
    const { tag, name, schema, show, names = {} } = this.kind;
    return {
      methods: ["PATCH"],
      ...this.atOne,
      body: "read",
      contract: {
        tag,
        takes,
        answers: { 200: json(`${name} after the change.`, schema) },
        errors: ["unprocessable", ...errors],
      },
      perform: async (call) => {
        const input = await readBodyV2(call, takes);
        const thing = await inNames(names, () => change(call, this.idOf(call), input));
        return jsonAnswer(show(thing, call));
      },
    };
  }
}
