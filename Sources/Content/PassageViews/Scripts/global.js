// Runs before the configuration's global script, in the same world. Some of those scripts use values as keys that a
// WeakMap refuses. For one second, WeakMap accepts them.

const Original = globalThis.WeakMap;
const isKey = (key) => typeof key === "object" && key !== null || typeof key === "function";

class WeakMap extends Original {
  #values = new Map();

  constructor(entries) {
    super();
    for (const [key, value] of entries ?? []) { this.set(key, value); }
  }

  get(key) { return isKey(key) ? super.get(key) : this.#values.get(key); }
  has(key) { return isKey(key) ? super.has(key) : this.#values.has(key); }
  delete(key) { return isKey(key) ? super.delete(key) : this.#values.delete(key); }

  set(key, value) {
    if (isKey(key)) { super.set(key, value); } else { this.#values.set(key, value); }
    return this;
  }
}

globalThis.WeakMap = WeakMap;
setTimeout(() => { if (globalThis.WeakMap === WeakMap) { globalThis.WeakMap = Original; } }, 1000);
