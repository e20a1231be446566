/**
 * Drivers of the dialects of management: each creates, reads, lists, changes and deletes resources in its own
 * form, and returns them in the form of `/v1`.
 */
import assert from "node:assert/strict";
import { argsOf, splitArgs } from "../../../../../emulator/core/resources/templates/docker-args.ts";
import type { Field, FieldTable } from "../../../../../emulator/core/resources/fields.ts";
import { sentFields, shownFields } from "../../../../../emulator/http/management/graphql/fields.ts";
import { readBody, shownBelow } from "../../../../../emulator/http/management/rest-v2/fields.ts";
import type { TestHttp } from "../../http-harness.ts";
import { ask } from "../graphql/graphql-harness.ts";

export const DIALECTS = ["v1", "v2", "graphql"] as const;

export type Dialect = (typeof DIALECTS)[number];

export type Thing = Readonly<Record<string, unknown>>;

export type Made = Thing & { readonly id: string };

/** One kind of resource in one dialect. A refused call rejects with `Refused`. */
export interface Driver {
  create(fields: Thing): Promise<Made>;
  read(id: string): Promise<Thing>;
  list(): Promise<readonly Thing[]>;
  change(id: string, fields: Thing): Promise<Thing>;
  remove(id: string): Promise<void>;
}

/** A refusal as one text: status and code if the dialect has them, and its messages. */
export class Refused extends Error {}

/** A dialect's form of a resource's fields. */
export interface Form {
  /** Unknown fields stay unchanged. */
  write(fields: Thing): Thing;
  read(shown: Thing): Thing;
}

const AS_IT_IS: Form = { write: (fields) => fields, read: (shown) => shown };

interface RestKind {
  readonly path: string;
  /** The member of a list with the resources. Default: the list is a bare array. */
  readonly listed?: string;
  readonly form?: Form;
}

export function restDriver(service: TestHttp, { path, listed, form = AS_IT_IS }: RestKind): Driver {
  const call = async (method: "GET" | "POST" | "PATCH" | "DELETE", at: string, fields?: Thing) => {
    const body = fields && form.write(fields);
    const { status, json, text } = await service.call(method, `${path}${at}`, { body });
    if (status >= 400) throw new Refused(refusalIn(status, json as Problem));
    if (method === "DELETE") assert.deepEqual({ status, text }, { status: 204, text: "" });
    return json;
  };
  const shown = async (...called: Parameters<typeof call>) => {
    const { id, ...rest } = (await call(...called)) as Made;
    return { id, ...form.read(rest) };
  };
  return {
    create: (fields) => shown("POST", "", fields),
    read: (id) => shown("GET", `/${id}`),
    async list() {
      const list = await call("GET", "");
      return (listed === undefined ? list : (list as Thing)[listed]) as Thing[];
    },
    change: (id, fields) => shown("PATCH", `/${id}`, fields),
    async remove(id) {
      await call("DELETE", `/${id}`);
    },
  };
}

interface Problem {
  readonly error?: string;
  readonly code?: string;
  readonly problems?: readonly string[];
  readonly detail?: string;
  readonly errors?: readonly string[];
}

function refusalIn(status: number, { code, error, problems, detail, errors }: Problem): string {
  const sentences = problems ?? errors ?? [error ?? detail];
  return [status, code, sentences.join("; ")].filter((part) => part !== undefined).join(" ");
}

interface GraphqlKind {
  /** Creates one without an id, and changes the one with that id. */
  readonly save: string;
  readonly read: string;
  readonly list: string;
  readonly remove: string;
  readonly form: Form;
  /** The variables that name the resource to delete. Default: its id. */
  readonly named?: (id: string) => object;
}

export function graphqlDriver(
  service: TestHttp,
  { form, save, read, list, remove, named = (id) => ({ id }) }: GraphqlKind,
): Driver {
  const shown = async (document: string, variables: object) => {
    const answer = await byGraphql(service, document, variables);
    if (answer === null) throw new Refused("null");
    const { id, ...rest } = answer as Made;
    return { id, ...form.read(rest) };
  };
  return {
    create: (fields) => shown(save, { input: form.write(fields) }),
    read: (id) => shown(read, { id }),
    list: async () => (await byGraphql(service, list)) as Made[],
    change: (id, fields) => shown(save, { input: { ...form.write(fields), id } }),
    async remove(id) {
      await byGraphql(service, remove, named(id));
    },
  };
}

/** Returns the one field that the document selects at the top, or below `myself`. */
async function byGraphql(
  service: TestHttp,
  document: string,
  variables: object = {},
): Promise<unknown> {
  const { json } = await ask(service, document, { variables });
  const [error] = json.errors ?? [];
  if (error) throw new Refused(error.message);
  const { myself = json.data } = json.data as { readonly myself?: object };
  const [answer] = Object.values(myself as object);
  return answer;
}

/** A form by a table of fields; `more` has fields with their own form in the dialect. */
export function v2Form(table: FieldTable, more: Form = AS_IT_IS): Form {
  return {
    write(fields) {
      const { within, ...all } = divided(
        table,
        more.write(fields),
        ({ restV2 }) => restV2 !== undefined,
      );
      const below = Object.values(within).map(({ restV2 = "" }) => parentIn(restV2));
      const parents = [...new Set(below)].map((parent) => [
        parent,
        { ...(all.rest[parent] as Thing), ...shownBelow(within, all.fields, parent) },
      ]);
      const { "": top, ...objects } = Object.fromEntries(parents) as Record<string, Thing>;
      return { ...all.rest, ...top, ...objects };
    },
    read: (shown) => ({ ...more.read(shown), ...readBody(table, shown) }),
  };
}

function parentIn(place: string | { readonly at: string }): string {
  const path = typeof place === "string" ? place : place.at;
  return path.split(".").slice(0, -1).join(".");
}

export function graphqlForm(table: FieldTable, more: Form = AS_IT_IS): Form {
  return {
    write(sent) {
      const { within, rest, fields } = divided(
        table,
        more.write(sent),
        ({ graphql }) => graphql !== false,
      );
      return { ...rest, ...shownFields(within, fields) };
    },
    read: (shown) => ({ ...more.read(shown), ...sentFields(table, shown) }),
  };
}

/** The rows of the present fields with a place; the fields without one, and those that are null. */
function divided(table: FieldTable, fields: Thing, hasPlace: (field: Field) => boolean) {
  const isWritten = (name: string) =>
    table[name] !== undefined && hasPlace(table[name]) && (fields[name] ?? null) !== null;
  const within = Object.entries(table).filter(([name]) => isWritten(name));
  const rest = Object.entries(fields).filter(([name]) => !isWritten(name));
  return { fields, within: Object.fromEntries(within), rest: Object.fromEntries(rest) };
}

/** The command of a container, which GraphQL has as one text. */
export const PROGRAM: Form = {
  write({ dockerEntrypoint, dockerStartCmd, ...fields }) {
    if (dockerEntrypoint === undefined && dockerStartCmd === undefined) return fields;
    const program = { dockerEntrypoint, dockerStartCmd } as Parameters<typeof argsOf>[0];
    return { ...fields, dockerArgs: argsOf(program) };
  },
  read({ dockerArgs }) {
    const { entrypoint, cmd } = splitArgs(String(dockerArgs));
    return { dockerEntrypoint: entrypoint, dockerStartCmd: cmd };
  },
};
