/** Returns the moment of its call, by the clock that all processes of a machine share. */

export default async function tellsWhen(): Promise<{ invokedAt: string }> {
  return { invokedAt: String(process.hrtime.bigint()) };
}
