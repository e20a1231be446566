/** What operations on resources share in both versions of REST: paths, owners and deletion. */
import type { z } from "zod";
import type { ErrorCode } from "../../core/service-error.ts";
import { NO_CONTENT } from "../operation/answers/answer.ts";
import type { Call, Operation } from "../operation/operation.ts";
import type { HttpEngine } from "../operation/service.ts";
import { noContent, type Tag } from "../schemas/contract.ts";

export interface ResourceKind {
  readonly tag: Tag;
  /** Path of the collection, for example `/v2/templates`; a resource has its id below. */
  readonly path: string;
  /** Path parameter with the id. */
  readonly id: string;
  /** Name of a resource in the OpenAPI document, for example `The template`. */
  readonly name: string;
  readonly schema: z.ZodType;
  /**
   * Owner of the resources where several replicas share a store. Default: any replica, or the owner of the endpoint in the
   * path.
   */
  readonly owner?: "service";
}

export type IdPath = Readonly<Record<string, string>>;

/** Body of an operation that creates or changes a resource. */
export interface Writing<Input = unknown> {
  readonly takes: z.ZodType<Input>;
  readonly errors: readonly ErrorCode[];
}

export class ResourceOperations<Kind extends ResourceKind> {
  protected readonly kind: Kind;

  constructor(kind: Kind) {
    this.kind = kind;
  }

  /**
   * `DELETE` of a resource: 204.
   * @param gone a sentence about what was deleted
   */
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

  protected get atAll() {
    const { path, owner = "any" } = this.kind;
    return { path, owner } as const;
  }

  /** Path of a resource. An endpoint in the path already names its owner. */
  protected get atOne() {
    const { id, owner = "any" } = this.kind;
    const path = `${this.kind.path}/:${id}`;
    return id === "endpointId" ? { path } : ({ path, owner } as const);
  }

  protected idOf({ path }: Call<IdPath>): string {
    return path[this.kind.id] ?? "";
  }
}
