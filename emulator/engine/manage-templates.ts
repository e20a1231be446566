/** Templates: created, listed, read and deleted. */
import { ServiceError } from "../core/service-error.ts";
import type { TemplateInput } from "../core/template-input.ts";
import type { Template } from "../core/template.ts";
import { commit } from "./commit.ts";
import type { EngineContext } from "./context.ts";

const ID_LENGTH = 10;

/** @throws ServiceError template_name_taken, storage_full */
export async function createTemplate(
  engine: EngineContext,
  input: TemplateInput,
): Promise<Template> {
  const id = engine.random.shortId(ID_LENGTH);
  const template: Template = { id, ...input, isPlatform: false, earned: 0, runtimeInMin: 0 };
  await commit(engine, async (tx) => {
    for (const other of await tx.records("template")) {
      if (other.name === template.name) throw nameTaken(template.name);
    }
    await tx.putRecord("template", id, template);
  });
  engine.directory.keepTemplate(template);
  return template;
}

/** In order of name. */
export function listTemplates(engine: EngineContext): readonly Template[] {
  return engine.directory.templates().toSorted((a, b) => compare(a.name, b.name));
}

/** @throws ServiceError template_not_found */
export function readTemplate(engine: EngineContext, id: string): Template {
  return engine.directory.template(id);
}

/** @throws ServiceError template_not_found; in_use while an endpoint has it */
export async function deleteTemplate(engine: EngineContext, id: string): Promise<void> {
  const { name } = engine.directory.template(id);
  await commit(engine, async (tx) => {
    const endpoints = await tx.records("endpoint");
    const users = endpoints.filter((endpoint) => endpoint.templateId === id);
    if (users.length > 0)
      throw inUse(
        name,
        users.map((endpoint) => endpoint.id),
      );
    await tx.deleteRecord("template", id);
  });
  engine.directory.dropTemplate(id);
}

function nameTaken(name: string): ServiceError {
  return new ServiceError("template_name_taken", `there is already a template named "${name}"`);
}

function inUse(name: string, endpointIds: readonly string[]): ServiceError {
  const users = endpointIds.map((id) => `"${id}"`).join(", ");
  const what = endpointIds.length === 1 ? "endpoint" : "endpoints";
  return new ServiceError(
    "in_use",
    `the template "${name}" is used by the ${what} ${users}; delete it there first`,
  );
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
