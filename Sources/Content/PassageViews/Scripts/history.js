// Wraps the functions of the page's history, in the page's own world, and tells `site.js` of each call by an event with a
// secret name. It passes no data beyond the name of the function and gives the page nothing.
//
// Constants: `historyEvent`.

const dispatch = window.dispatchEvent.bind(window), Event = window.CustomEvent, {apply} = Reflect;
for (const method of ["pushState", "replaceState"]) {
  const original = History.prototype[method];
  const wrapped = {
    [method](...parts) {
      const result = apply(original, this, parts);
      dispatch(new Event(historyEvent, {detail: method}));
      return result;
    },
  }[method];
  Object.defineProperty(History.prototype, method, {
    value: wrapped, writable: true, enumerable: true, configurable: true,
  });
}
