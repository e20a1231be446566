/** Operations on templates in the second version of REST. */
import { z } from "zod";
import { TEMPLATE_FIELDS } from "../../../core/resources/templates/template-fields.ts";
import { isEndpointBound, type Template } from "../../../core/resources/templates/template.ts";
import {
  createTemplate,
  deleteTemplate,
  listTemplates,
} from "../../../engine/resources/templates/manage-templates.ts";
import { updateTemplate } from "../../../engine/resources/templates/update-template.ts";
import { jsonAnswer } from "../../operation/answers/answer.ts";
import { json } from "../../schemas/contract.ts";
import type { Operation } from "../../operation/operation.ts";
import { Collection } from "../rest-v2/collection.ts";
import { namesOf } from "../rest-v2/fields.ts";
import { readParameters } from "../rest-v2/read-closed.ts";
import {
  createTemplateSchema,
  templateBodyV2,
  templateChangesOf,
  templateInputOf,
  templateSchemaV2,
  updateTemplateSchema,
} from "./rest-v2-settings.ts";

/** A list in the catalog has no pages (live). */
const CATALOG_MAX = 100;

const template = new Collection({
  tag: "templates",
  path: "/v2/templates",
  id: "templateId",
  list: "templates",
  name: "The template",
  schema: templateSchemaV2,
  names: { ...namesOf(TEMPLATE_FIELDS), volumeInGb: "mounts.persistent.size" },
  placeOf: ({ id, createdAt = "" }: Template) => ({ at: createdAt, id }),
  show: templateBodyV2,
});

const catalogParameters = {
  source: z
    .enum(["official", "verified", "community"])
    .default("official")
    .meta({ description: "`community`: public templates; there are no others." }),
};

const catalog: Operation = {
  methods: ["GET"],
  path: "/v2/catalog/templates",
  owner: "any",
  contract: {
    tag: "templates",
    query: z.object(catalogParameters),
    answers: {
      200: json(
        "In order of their names.",
        z.strictObject({ templates: z.array(templateSchemaV2) }),
      ),
    },
    errors: ["unprocessable"],
  },
  async perform({ service, query }) {
    const { source } = readParameters(catalogParameters, query);
    const found = listTemplates(service.engine)
      .filter(({ isPublic, isPlatform }) =>
        source === "official" ? isPlatform : source === "community" && isPublic,
      )
      .slice(0, CATALOG_MAX);
    return jsonAnswer({ templates: found.map(templateBodyV2) });
  },
};

export const TEMPLATE_V2_OPERATIONS = {
  /** `POST /v2/templates`: creates a template (live). */
  createTemplateV2: template.creation(
    { takes: createTemplateSchema, errors: ["template_name_taken", "storage_full"] },
    async ({ service }, body) => createTemplate(service.engine, templateInputOf(body)),
  ),
  /** `GET /v2/templates`: the templates created over an interface, except those of a single endpoint (live). */
  listTemplatesV2: template.listing(async ({ service }) =>
    listTemplates(service.engine).filter((each) => !each.isPlatform && !isEndpointBound(each)),
  ),
  /** `GET /v2/templates/{id}`: one template (live). */
  readTemplateV2: template.reading(["template_not_found"], async ({ service }, id) =>
    service.engine.directory.template(id),
  ),
  /** `PATCH /v2/templates/{id}`: changes a template; workers are replaced as with `/v1` (ours; the live service keeps them). */
  updateTemplateV2: template.change(
    {
      takes: updateTemplateSchema,
      errors: ["template_not_found", "template_name_taken", "in_use", "storage_full"],
    },
    async ({ service }, id, body) => updateTemplate(service.engine, id, templateChangesOf(body)),
  ),
  /** `DELETE /v2/templates/{id}`: deletes a template that no endpoint and no pod uses (live). */
  deleteTemplateV2: template.deletion(
    ["template_not_found", "in_use", "storage_full"],
    deleteTemplate,
  ),
  /** `GET /v2/catalog/templates`: public templates (live). */
  listCatalogTemplatesV2: catalog,
};
