/** The table of the members of `/status`: names from the declaration of a job's fields, meanings from its comments. */
import { Visitor } from "oxc-parser";
import { VIEWS } from "../../emulator/core/jobs/job-members.ts";
import { readCommented, takeSource } from "./comments.ts";
import { markdownTable } from "./table.ts";

/** @throws Error when a member has no comment */
export function jobFieldsTable(): string {
  const meanings = new Map([...meaningsIn("job-members.ts"), ...meaningsIn("job.ts")]);
  const rows = VIEWS.status.map(({ name, as }) => {
    const meaning = meanings.get(name);
    if (meaning === undefined) throw new Error(`${name}, a field of a job, has no comment`);
    const { says, source } = takeSource(meaning);
    return [`\`${as}\``, says, source];
  });
  return markdownTable(["Field", "Meaning", "Source"], rows);
}

function meaningsIn(file: string): ReadonlyMap<string, string> {
  const source = readCommented(`emulator/core/jobs/${file}`);
  const meanings = new Map<string, string>();
  const visitor = new Visitor({
    Property({ key, start }) {
      const comment = source.commentBefore(start).join(" ");
      if (key.type === "Identifier" && comment !== "") meanings.set(key.name, comment);
    },
  });
  visitor.visit(source.program);
  return meanings;
}
