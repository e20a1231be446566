/** A database that several replicas share, for one test. */
import { Member } from "../../../contract/ownership/member.ts";
import {
  type JoinedBehindProxy,
  sharedDatabase,
  type SharedDatabase,
} from "../../../contract/ownership/postgres-shared.ts";
import { testDatabase } from "./database.ts";

export async function testShared() {
  const { url, admin, ...opened } = await testDatabase();
  const shared = sharedDatabase(url);
  return {
    ...shared,
    admin,
    async [Symbol.asyncDispose]() {
      await shared[Symbol.asyncDispose]();
      await opened[Symbol.asyncDispose]();
    },
  };
}

/** A replica that takes partitions. */
export async function begun(
  shared: SharedDatabase,
  ...join: Parameters<SharedDatabase["join"]>
): Promise<Member & { readonly joined: JoinedBehindProxy }> {
  const joined = await shared.join(...join);
  const member = new Member(joined, await joined.store.boot());
  await joined.ownership.begin(member);
  return Object.assign(member, { joined });
}
