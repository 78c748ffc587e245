// @ts-check
// What a kiosk says without being asked: its logo, the state of its reader, and what its operator must know.

import {listen, nfc} from "./tessera.js";
import {kiosk, words} from "./words.js";

/** @param {string} id @returns {any} */
const element = (id) => document.getElementById(id);

/** After the end of a watch, for example when the service of the readers starts anew. */
const pause = 5_000;

/** @type {{readers: number, documents: number} | null} null until it is known */
let reader = null;
let status = {waiting: 0, clock: true};

/** @param {string} id @param {string} text */
function say(id, text) {
  element(id).hidden = text === "";
  if (element(id).textContent !== text) { element(id).textContent = text; }
}

/** Writes everything again, for example in another language. */
export function rewrite() {
  if (!kiosk) { return; }
  say("reader", !reader ? "" : reader.readers === 0 ? words().readerMissing
    : reader.documents > 0 ? words().readerOccupied : words().readerReady);
  say("kiosk", !status.clock ? words().wrongClock : status.waiting > 0 ? words().notStored : "");
}

async function watch() {
  while (true) {
    try {
      await nfc.watchReader((state) => {
        reader = {readers: state.readers ?? 0, documents: state.documents ?? 0};
        rewrite();
      });
    } catch {
      // Nothing is known of the reader. The read says what is wrong.
    }
    reader = null;
    rewrite();
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

export function start() {
  if (kiosk?.logo) {
    element("logo").src = kiosk.logo;
    element("logo").hidden = false;
  }
  listen("lifecycle", "kiosk", (/** @type {{waiting?: number, clock?: boolean}} */ now) => {
    status = {waiting: now.waiting ?? 0, clock: now.clock !== false};
    rewrite();
  });
  watch();
}
