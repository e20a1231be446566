/** Known defects of SQLite versions. Pure. */

/** First version that does not lose committed writes when the log of a database restarts during a checkpoint. */
const SOUND = [3, 51, 3] as const;

/** A sentence about the defect of an old SQLite and its remedy; undefined without the defect, or if the version is unknown. */
export function sqliteDefect({ sqlite, node }: NodeJS.ProcessVersions): string | undefined {
  if (sqlite === undefined) return undefined;
  const version = sqlite.split(".").map(Number);
  const at = SOUND.findIndex((part, place) => part !== version[place]);
  const isSound = at === -1 || (version[at] ?? 0) > (SOUND[at] ?? 0);
  if (isSound) return undefined;
  return `Node ${node} has SQLite ${sqlite}, which has a known defect that can damage databases (fixed in ${SOUND.join(".")}): use Node 24.15 or newer`;
}
