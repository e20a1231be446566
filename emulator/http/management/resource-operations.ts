/** What the operations on resources of one kind have in common in both versions of REST: paths, owners, and how one is deleted. */
import type { z } from "zod";
import type { ErrorCode } from "../../core/service-error.ts";
import { NO_CONTENT } from "../operation/answers/answer.ts";
import type { Call, Operation } from "../operation/operation.ts";
import type { HttpEngine } from "../operation/service.ts";
import { noContent, type Tag } from "../schemas/contract.ts";

/** A kind of resource. */
export interface ResourceKind {
  readonly tag: Tag;
  /** Where all of them are, for example `/v2/templates`; one is at its id below. */
  readonly path: string;
  /** The name of the path parameter that is its id. */
  readonly id: string;
  /** The name of one in the document's answers, for example `The template`. */
  readonly name: string;
  readonly schema: z.ZodType;
  /** The replica that answers where several share a store. Default: any, or the owner of the endpoint in the path. */
  readonly owner?: "service";
}

export type IdPath = Readonly<Record<string, string>>;

/** The body of an operation that creates or changes one. */
export interface Writing<Input = unknown> {
  readonly takes: z.ZodType<Input>;
  readonly errors: readonly ErrorCode[];
}

export class ResourceOperations<Kind extends ResourceKind> {
  protected readonly kind: Kind;

  constructor(kind: Kind) {
    this.kind = kind;
  }

  /** `DELETE` of one: 204. @param gone what is gone then, a sentence */
  deletion(
    errors: readonly ErrorCode[],
    remove: (engine: HttpEngine, id: string) => Promise<void>,
    gone = "It is gone.",
  ): Operation<IdPath> {
    return {
      methods: ["DELETE"],
      ...this.atOne,
      contract: { tag: this.kind.tag, answers: { 204: noContent(gone) }, errors },
      perform: async (call) => {
        await remove(call.service.engine, this.idOf(call));
        return NO_CONTENT;
      },
    };
  }

  /** An operation on all of them. */
  protected get atAll() {
    const { path, owner = "any" } = this.kind;
    return { path, owner } as const;
  }

  /** An operation on one; an endpoint in the path says its owner by itself. */
  protected get atOne() {
    const { id, owner = "any" } = this.kind;
    const path = `${this.kind.path}/:${id}`;
    return id === "endpointId" ? { path } : ({ path, owner } as const);
  }

  protected idOf({ path }: Call<IdPath>): string {
    return path[this.kind.id] ?? "";
  }
}
