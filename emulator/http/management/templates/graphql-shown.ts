/** A template as GraphQL shows it (live). Pure. */
import { argsOf } from "../../../core/resources/docker-args.ts";
import type { Template } from "../../../core/resources/template.ts";
import { pairsOf } from "../graphql/input.ts";

export function shownTemplate(template: Template) {
  return {
    ...template,
    dockerArgs: argsOf(template),
    ports: template.ports.join(","),
    env: pairsOf(template.env),
    isRunpod: template.isPlatform,
    startSsh: template.startSsh ?? true,
    startJupyter: template.startJupyter ?? true,
    // Labels of ports and scripts are not kept here.
    portsConfig: [],
    advancedStart: false,
    startScript: "",
  };
}
