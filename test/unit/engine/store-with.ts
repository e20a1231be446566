/** A store with some methods replaced by a test. */
import type { Store } from "../../../emulator/store/store.ts";

/** Returns a store with all other methods of `store`. */
export function storeWith(store: Store, changed: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(name in changed ? changed : target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
