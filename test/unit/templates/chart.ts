/** Renders the chart by Helm. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { text } from "node:stream/consumers";
import type { V1ObjectMeta } from "@kubernetes/client-node";
import { parseAllDocuments } from "yaml";
import { helmProgram } from "../../setup/kubernetes/client-programs.ts";

export const chartFolder = path.resolve("templates/helm");

export const RELEASE = { name: "sv", namespace: "prod" } as const;

/** An object of a cluster. */
export interface ClusterObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: V1ObjectMeta & { readonly name: string };
}

/** A model of the client library with a name. */
export type Named<Model> = ClusterObject & Model;

export interface Rendered {
  readonly objects: readonly ClusterObject[];
  readonly all: <Model>(kind: string) => readonly Named<Model>[];
  /** @throws Error if there are none or several */
  readonly one: <Model>(kind: string) => Named<Model>;
}

const rendered = new Map<string, Promise<Rendered>>();

/** @throws Error with Helm's message for invalid values */
export function render(values: object, kubeVersion = "1.34.0"): Promise<Rendered> {
  const key = JSON.stringify([values, kubeVersion]);
  const found = rendered.get(key) ?? make(values, kubeVersion);
  rendered.set(key, found);
  return found;
}

async function make(values: object, kubeVersion: string): Promise<Rendered> {
  const { name, namespace } = RELEASE;
  const yaml = await helm(
    [
      ...["template", name, chartFolder, "--namespace", namespace],
      ...["--kube-version", kubeVersion, "--values", "-"],
    ],
    values,
  );
  const objects = objectsIn(yaml);
  const all = <Model>(kind: string) =>
    objects.filter((object): object is Named<Model> => object.kind === kind);
  return {
    ...{ objects, all },
    one<Model>(kind: string) {
      const found = all<Model>(kind);
      if (found[0] === undefined || found.length > 1)
        throw new Error(`there are ${found.length} objects of the kind ${kind}`);
      return found[0];
    },
  };
}

/** @throws Error with Helm's message if it fails */
export async function helm(args: readonly string[], values: object): Promise<string> {
  const child = spawn(helmProgram, args);
  const closed = once(child, "close");
  child.stdin.end(JSON.stringify(values));
  const [out, said] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await closed) as [number | null];
  if (code !== 0) throw new Error(out + said);
  return out;
}

/** @throws Error for invalid YAML, or a repeated key */
export function objectsIn(yaml: string): readonly ClusterObject[] {
  return parseAllDocuments(yaml).flatMap((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0];
    const object = document.toJS() as ClusterObject | null;
    return object === null ? [] : [object];
  });
}
