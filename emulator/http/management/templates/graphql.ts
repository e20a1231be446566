/** Templates in GraphQL. */
import { argsOf } from "../../../core/resources/templates/docker-args.ts";
import {
  NEWER_TEMPLATE_FIELDS,
  TEMPLATE_FIELDS,
} from "../../../core/resources/templates/template-fields.ts";
import { isEndpointBound, type Template } from "../../../core/resources/templates/template.ts";
import type { CatalogPort } from "../../../engine/resources/catalog-port.ts";
import { templateNotFound } from "../../../engine/resources/directory.ts";
import {
  createTemplate,
  deleteTemplate,
  listTemplates,
} from "../../../engine/resources/templates/manage-templates.ts";
import { updateTemplate } from "../../../engine/resources/templates/update-template.ts";
import { shownFields } from "../graphql/fields.ts";
import type { GraphqlCaller } from "../graphql/graphql-caller.ts";
import { given, type Input, textOf } from "../graphql/input.ts";
import { templateChangesOf, templateInputOf } from "./graphql-input.ts";

const FIELDS = { ...TEMPLATE_FIELDS, ...NEWER_TEMPLATE_FIELDS };

export const TEMPLATE_RESOLVERS = {
  /** Official templates, which do not exist here, or public ones; without a choice both (live). */
  podTemplates: ({ input }: { readonly input?: Input | null }, caller: GraphqlCaller) => {
    const { isRunpod: isPlatform } = given(input);
    const shared = listTemplates(caller.reads()).filter((each) => each.isPlatform || each.isPublic);
    const isMeant = (each: Template) => isPlatform === undefined || each.isPlatform === isPlatform;
    return shared.filter(isMeant).map(shownTemplate);
  },
  /** One template, also a public one; null for an unknown id (live). */
  podTemplate: ({ id }: { readonly id: string }, caller: GraphqlCaller) => {
    const template = caller.reads().directory.findTemplate(id);
    return template ? shownTemplate(template) : null;
  },
  /** Creates a template, or changes the one with this id; absent fields stay unchanged (live). */
  saveTemplate: async ({ input }: { readonly input?: Input | null }, caller: GraphqlCaller) => {
    const sent = input ?? {};
    const id = textOf(sent["id"]);
    const saved = await caller.changes({ name: "saveTemplate", subject: id }, async (engine) =>
      id === undefined
        ? createTemplate(engine, templateInputOf(sent))
        : updateTemplate(engine, id, templateChangesOf(sent)),
    );
    return shownTemplate(saved);
  },
  /** Deletes the template with this name, which no endpoint or pod uses (live). */
  deleteTemplate: async (
    { templateName: name }: { readonly templateName: string },
    caller: GraphqlCaller,
  ) => {
    await caller.changes({ name: "deleteTemplate", subject: name }, (engine) =>
      deleteTemplate(engine, idOfTemplate(engine, name)),
    );
    return null;
  },
};

/** Templates created over an interface, including public ones. */
export function ownTemplates(engine: CatalogPort) {
  const own = listTemplates(engine).filter((each) => !each.isPlatform && !isEndpointBound(each));
  return own.map(shownTemplate);
}

/** @throws ServiceError template_not_found */
function idOfTemplate({ directory }: CatalogPort, name: string): string {
  const template = directory.templates().find((each) => each.name === name);
  if (!template) throw templateNotFound(name);
  return template.id;
}

function shownTemplate(template: Template) {
  return {
    ...template,
    ...shownFields(FIELDS, template),
    dockerArgs: argsOf(template),
    isRunpod: template.isPlatform,
    // Labels of ports and scripts are not stored here.
    portsConfig: [],
    advancedStart: false,
    startScript: "",
  };
}
