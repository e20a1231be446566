/** Documents with generated sections, and the functions that make them. */
import { clientErrorsTable } from "./client-errors-table.ts";
import { configTable } from "./config-tables.ts";
import { conformanceTable } from "./conformance-table.ts";
import { errorCodesTable, failureTypesTable } from "./errors-table.ts";
import { gpuPoolsTable } from "./gpu-pools-table.ts";
import { helpText } from "./help-text.ts";
import { jobFieldsTable } from "./job-fields-table.ts";
import { limitsTable } from "./limits-table.ts";
import { listenersTable } from "./listeners-table.ts";
import { INTERFACES, liveClientsTable } from "./live-clients-table.ts";
import { metricsTable } from "./metrics-table.ts";
import { modulesTable } from "./modules-table.ts";
import { operationsTable } from "./operations-table.ts";
import { rateLimitsTable } from "./rate-limits-table.ts";
import { RULE_TABLES } from "../../test/conformance/rules.ts";
import { withSection } from "./section.ts";
import { jobDiagram, jobRows, workerDiagram, workerRows } from "./state-diagram.ts";

/** A document with generated sections. */
export interface Page {
  /** Path from the project's root. */
  readonly file: string;
  readonly sections: Readonly<Record<string, () => string | Promise<string>>>;
}

export const PAGES: readonly Page[] = [
  {
    file: "docs/state-machines.md",
    sections: {
      "state diagram": jobDiagram,
      "rows of a job": jobRows,
      "life of a worker": workerDiagram,
      "rows of a worker": workerRows,
    },
  },
  { file: "docs/concepts.md", sections: { "state diagram": jobDiagram } },
  {
    file: "docs/job-interface.md",
    sections: {
      "job operations": () => operationsTable("/v2/"),
      "fields of a job": jobFieldsTable,
      "failure types": failureTypesTable,
      "error codes": errorCodesTable,
      limits: limitsTable,
      "rate limits": rateLimitsTable,
    },
  },
  {
    file: "docs/management.md",
    sections: {
      "management operations": () => operationsTable("/v1/"),
      "GPU pools": gpuPoolsTable,
    },
  },
  {
    file: "docs/live-clients.md",
    sections: Object.fromEntries(
      INTERFACES.map((name) => [`clients: ${name}`, () => liveClientsTable(name)]),
    ),
  },
  {
    file: "docs/conformance.md",
    sections: Object.fromEntries(
      RULE_TABLES.map((table) => [table.toLowerCase(), () => conformanceTable(table)]),
    ),
  },
  {
    file: "docs/emulator-operations.md",
    sections: { "emulator operations": () => operationsTable("/emulator/") },
  },
  {
    file: "docs/webhooks.md",
    sections: { "webhook operations": () => operationsTable("/emulator/webhooks") },
  },
  {
    file: "docs/cli.md",
    sections: {
      help: () => helpText(),
      "help of config": () => helpText("config"),
      "help of export": () => helpText("export"),
      "help of exec": () => helpText("exec"),
    },
  },
  { file: "docs/handlers.md", sections: { modules: modulesTable } },
  { file: "docs/images.md", sections: { "help of build": () => helpText("build") } },
  { file: "docs/starters.md", sections: { "help of init": () => helpText("init") } },
  {
    file: "docs/configuration.md",
    sections: {
      "keys of a config": () => configTable("config"),
      "keys of an endpoint": () => configTable("endpoint"),
      "keys of retries": () => configTable("retries"),
      "keys of a template": () => configTable("template"),
      "keys of a network volume": () => configTable("networkVolume"),
      "keys of a registry auth": () => configTable("registryAuth"),
    },
  },
  { file: "docs/operating.md", sections: { listeners: listenersTable, metrics: metricsTable } },
  { file: "docs/client.md", sections: { "client errors": clientErrorsTable } },
];

/** The page's text with up-to-date generated sections. @throws Error if a marker is missing */
export async function regenerated(page: Page, document: string): Promise<string> {
  let text = document;
  for (const [name, make] of Object.entries(page.sections)) {
    text = withSection(text, name, await make());
  }
  return text;
}
