/** Copies Swagger UI's files and licences to the place in which the built documentation page looks for them. */
import fs from "node:fs";
import path from "node:path";
import { licencesOf } from "./package-licences.ts";

const FILES = ["swagger-ui.css", "swagger-ui-bundle.js"];

/** Notices that must be distributed beside the licence. */
const NOTICES = ["NOTICE", "swagger-ui-bundle.js.LICENSE.txt"];

/** @param packages the folder `node_modules`, @param folder of the build */
export function copySwaggerUi(packages: string, folder: string): void {
  const from = path.join(packages, "swagger-ui-dist");
  const to = path.join(folder, "emulator/http/emulator/docs-page");
  for (const file of FILES) fs.copyFileSync(path.join(from, file), path.join(to, file));
  const notices = NOTICES.map((file) => fs.readFileSync(path.join(from, file), "utf8"));
  const licences = [licencesOf([path.join(from, "swagger-ui-bundle.js")]), ...notices];
  fs.writeFileSync(path.join(to, "swagger-ui.licences.txt"), licences.join("\n"));
}
