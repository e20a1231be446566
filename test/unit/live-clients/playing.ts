/** Records the calls of a client in its test, and compares them with `plays.ts`. */
import { type FieldNode, Kind, parse, type SelectionSetNode } from "graphql";
import { expect, test } from "vitest";
import { operationIdAt } from "../http/documented.ts";
import type { Play } from "./plays.ts";

export interface NotedCall {
  readonly method: string;
  /** Path behind `/live`, with its query. */
  readonly path: string;
}

export class Playing {
  readonly #play: Play;
  readonly #calls = new Set<string>();

  constructor(play: Play) {
    this.#play = play;
  }

  /** A call of the client to a path that is no operation. */
  note({ method, path }: NotedCall): void {
    const id = operationIdAt(method, `/live${path}`);
    // The service has this operation by another method, or at another path.
    if (id !== undefined) this.#calls.add(id.replace(/By(?:Get|Post|Put|Patch)$/u, ""));
  }

  /** @param query a document of GraphQL */
  noteQuery(query: string): void {
    for (const field of askedFields(query)) this.#calls.add(`graphql.${field}`);
  }

  noteOperations(names: readonly string[]): void {
    for (const name of names) this.#calls.add(name);
  }

  /** To be called at the end of the file: its last test. */
  ends(): void {
    const { client, file, calls } = this.#play;
    test(`${client} has called all that the documentation says of ${file}, and nothing else`, () => {
      expect([...this.#calls].toSorted()).toEqual(calls.toSorted());
    });
  }
}

/** The fields at the root; of the account those below it that are things of their own. */
function askedFields(query: string): readonly string[] {
  const roots = parse(query).definitions.flatMap((each) =>
    each.kind === Kind.OPERATION_DEFINITION ? fieldsIn(each.selectionSet) : [],
  );
  return roots.flatMap(({ name, selectionSet }) => {
    if (name.value !== "myself") return [name.value];
    const below = fieldsIn(selectionSet).map((each) =>
      each.selectionSet ? `myself.${each.name.value}` : "myself",
    );
    return [...new Set(below)];
  });
}

function fieldsIn(selectionSet: SelectionSetNode | undefined): readonly FieldNode[] {
  return (selectionSet?.selections ?? []).flatMap((each) =>
    each.kind === Kind.FIELD ? [each] : [],
  );
}
